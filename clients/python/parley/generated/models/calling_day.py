from __future__ import annotations

from collections.abc import Mapping
from typing import Any, TypeVar

from attrs import define as _attrs_define
from attrs import field as _attrs_field

from ..models.calling_day_day import CallingDayDay
from ..types import UNSET, Unset

T = TypeVar("T", bound="CallingDay")


@_attrs_define
class CallingDay:
    """
    Attributes:
        end (str): Before start: on the next day. 11:59 PM: the end of the day.
        start (str):
        day (CallingDayDay | Unset): On which the window starts; not needed with DAILY.
    """

    end: str
    start: str
    day: CallingDayDay | Unset = UNSET
    additional_properties: dict[str, Any] = _attrs_field(init=False, factory=dict)

    def to_dict(self) -> dict[str, Any]:
        end = self.end

        start = self.start

        day: str | Unset = UNSET
        if not isinstance(self.day, Unset):
            day = self.day.value

        field_dict: dict[str, Any] = {}
        field_dict.update(self.additional_properties)
        field_dict.update(
            {
                "end": end,
                "start": start,
            }
        )
        if day is not UNSET:
            field_dict["day"] = day

        return field_dict

    @classmethod
    def from_dict(cls: type[T], src_dict: Mapping[str, Any]) -> T:
        d = dict(src_dict)
        end = d.pop("end")

        start = d.pop("start")

        _day = d.pop("day", UNSET)
        day: CallingDayDay | Unset
        if isinstance(_day, Unset):
            day = UNSET
        else:
            day = CallingDayDay(_day)

        calling_day = cls(
            end=end,
            start=start,
            day=day,
        )

        calling_day.additional_properties = d
        return calling_day

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
