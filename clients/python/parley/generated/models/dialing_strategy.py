from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, TypeVar

from attrs import define as _attrs_define
from attrs import field as _attrs_field

if TYPE_CHECKING:
    from ..models.calling_hours import CallingHours
    from ..models.dialing_strategy_caller_id import DialingStrategyCallerID


T = TypeVar("T", bound="DialingStrategy")


@_attrs_define
class DialingStrategy:
    """
    Attributes:
        caller_id (DialingStrategyCallerID):
        calling_hours (CallingHours):
    """

    caller_id: DialingStrategyCallerID
    calling_hours: CallingHours
    additional_properties: dict[str, Any] = _attrs_field(init=False, factory=dict)

    def to_dict(self) -> dict[str, Any]:
        caller_id = self.caller_id.to_dict()

        calling_hours = self.calling_hours.to_dict()

        field_dict: dict[str, Any] = {}
        field_dict.update(self.additional_properties)
        field_dict.update(
            {
                "callerId": caller_id,
                "callingHours": calling_hours,
            }
        )

        return field_dict

    @classmethod
    def from_dict(cls: type[T], src_dict: Mapping[str, Any]) -> T:
        from ..models.calling_hours import CallingHours  # noqa: PLC0415
        from ..models.dialing_strategy_caller_id import (
            DialingStrategyCallerID,  # noqa: PLC0415
        )

        d = dict(src_dict)
        caller_id = DialingStrategyCallerID.from_dict(d.pop("callerId"))

        calling_hours = CallingHours.from_dict(d.pop("callingHours"))

        dialing_strategy = cls(
            caller_id=caller_id,
            calling_hours=calling_hours,
        )

        dialing_strategy.additional_properties = d
        return dialing_strategy

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
