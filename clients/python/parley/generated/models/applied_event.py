from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, TypeVar

from attrs import define as _attrs_define
from attrs import field as _attrs_field

from ..types import UNSET, Unset

if TYPE_CHECKING:
    from ..models.applied_event_data import AppliedEventData


T = TypeVar("T", bound="AppliedEvent")


@_attrs_define
class AppliedEvent:
    """
    Attributes:
        stream (str):
        type_ (str):
        data (AppliedEventData | Unset): Of a dry run; secrets are not shown.
    """

    stream: str
    type_: str
    data: AppliedEventData | Unset = UNSET
    additional_properties: dict[str, Any] = _attrs_field(init=False, factory=dict)

    def to_dict(self) -> dict[str, Any]:
        stream = self.stream

        type_ = self.type_

        data: dict[str, Any] | Unset = UNSET
        if not isinstance(self.data, Unset):
            data = self.data.to_dict()

        field_dict: dict[str, Any] = {}
        field_dict.update(self.additional_properties)
        field_dict.update(
            {
                "stream": stream,
                "type": type_,
            }
        )
        if data is not UNSET:
            field_dict["data"] = data

        return field_dict

    @classmethod
    def from_dict(cls: type[T], src_dict: Mapping[str, Any]) -> T:
        from ..models.applied_event_data import AppliedEventData  # noqa: PLC0415

        d = dict(src_dict)
        stream = d.pop("stream")

        type_ = d.pop("type")

        _data = d.pop("data", UNSET)
        data: AppliedEventData | Unset
        if isinstance(_data, Unset):
            data = UNSET
        else:
            data = AppliedEventData.from_dict(_data)

        applied_event = cls(
            stream=stream,
            type_=type_,
            data=data,
        )

        applied_event.additional_properties = d
        return applied_event

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
