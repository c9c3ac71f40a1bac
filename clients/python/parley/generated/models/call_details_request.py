from __future__ import annotations

from collections.abc import Mapping
from typing import Any, TypeVar, cast

from attrs import define as _attrs_define
from attrs import field as _attrs_field

from ..types import UNSET, Unset

T = TypeVar("T", bound="CallDetailsRequest")


@_attrs_define
class CallDetailsRequest:
    """
    Attributes:
        end_date (str): Same format; a date means the end of that day. At most seven days in all.
        start_date (str): yyyy-mm-dd hh:mm:ss or yyyy-mm-dd, inclusive, in the zone of timeZoneOffset; or as
            sessionStartTime has it, to read on (extension).
        time_zone_offset (float): Minutes east of UTC.
        channels (list[str] | Unset): Only these channels: kind slugs, or as records show them.
        queues (list[str] | Unset): Only conversations that entered one of these queues.
        selected_fields (list[str] | Unset): Optional fields to add: skills, customerinfo, userleveltags,
            sessionleveltags.
    """

    end_date: str
    start_date: str
    time_zone_offset: float
    channels: list[str] | Unset = UNSET
    queues: list[str] | Unset = UNSET
    selected_fields: list[str] | Unset = UNSET
    additional_properties: dict[str, Any] = _attrs_field(init=False, factory=dict)

    def to_dict(self) -> dict[str, Any]:
        end_date = self.end_date

        start_date = self.start_date

        time_zone_offset = self.time_zone_offset

        channels: list[str] | Unset = UNSET
        if not isinstance(self.channels, Unset):
            channels = self.channels

        queues: list[str] | Unset = UNSET
        if not isinstance(self.queues, Unset):
            queues = self.queues

        selected_fields: list[str] | Unset = UNSET
        if not isinstance(self.selected_fields, Unset):
            selected_fields = self.selected_fields

        field_dict: dict[str, Any] = {}
        field_dict.update(self.additional_properties)
        field_dict.update(
            {
                "endDate": end_date,
                "startDate": start_date,
                "timeZoneOffset": time_zone_offset,
            }
        )
        if channels is not UNSET:
            field_dict["channels"] = channels
        if queues is not UNSET:
            field_dict["queues"] = queues
        if selected_fields is not UNSET:
            field_dict["selectedFields"] = selected_fields

        return field_dict

    @classmethod
    def from_dict(cls: type[T], src_dict: Mapping[str, Any]) -> T:
        d = dict(src_dict)
        end_date = d.pop("endDate")

        start_date = d.pop("startDate")

        time_zone_offset = d.pop("timeZoneOffset")

        channels = cast(list[str], d.pop("channels", UNSET))

        queues = cast(list[str], d.pop("queues", UNSET))

        selected_fields = cast(list[str], d.pop("selectedFields", UNSET))

        call_details_request = cls(
            end_date=end_date,
            start_date=start_date,
            time_zone_offset=time_zone_offset,
            channels=channels,
            queues=queues,
            selected_fields=selected_fields,
        )

        call_details_request.additional_properties = d
        return call_details_request

    @property
    def additional_keys(self) -> list[str]:
        return list(self.additional_properties.keys())

    def __getitem__(self, key: str) -> Any:
        return self.additional_properties[key]

    def __setitem__(self, key: str, value: Any) -> None:
        self.additional_properties[key] = value

    def __delitem__(self, key: str) -> None:
        del self.additional_properties[key]

    def __contains__(self, key: str) -> bool:
        return key in self.additional_properties
