from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, TypeVar

from attrs import define as _attrs_define
from attrs import field as _attrs_field

from ..models.calling_hours_frequency import CallingHoursFrequency

if TYPE_CHECKING:
    from ..models.calling_day import CallingDay


T = TypeVar("T", bound="CallingHours")


@_attrs_define
class CallingHours:
    """
    Attributes:
        days (list[CallingDay]):
        frequency (CallingHoursFrequency): WEEKLY: each day of the week at most once. DAILY: every day, whatever day
            says. CUSTOM: any number of windows of a day.
        timezone (str): IANA name.
    """

    days: list[CallingDay]
    frequency: CallingHoursFrequency
    timezone: str
    additional_properties: dict[str, Any] = _attrs_field(init=False, factory=dict)

    def to_dict(self) -> dict[str, Any]:
        days = []
        for days_item_data in self.days:
            days_item = days_item_data.to_dict()
            days.append(days_item)

        frequency = self.frequency.value

        timezone = self.timezone

        field_dict: dict[str, Any] = {}
        field_dict.update(self.additional_properties)
        field_dict.update(
            {
                "days": days,
                "frequency": frequency,
                "timezone": timezone,
            }
        )

        return field_dict

    @classmethod
    def from_dict(cls: type[T], src_dict: Mapping[str, Any]) -> T:
        from ..models.calling_day import CallingDay  # noqa: PLC0415

        d = dict(src_dict)
        days = []
        _days = d.pop("days")
        for days_item_data in _days:
            days_item = CallingDay.from_dict(days_item_data)

            days.append(days_item)

        frequency = CallingHoursFrequency(d.pop("frequency"))

        timezone = d.pop("timezone")

        calling_hours = cls(
            days=days,
            frequency=frequency,
            timezone=timezone,
        )

        calling_hours.additional_properties = d
        return calling_hours

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
