from __future__ import annotations

from collections.abc import Mapping
from typing import Any, TypeVar

from attrs import define as _attrs_define
from attrs import field as _attrs_field

T = TypeVar("T", bound="CampaignSchedule")


@_attrs_define
class CampaignSchedule:
    """
    Attributes:
        is_recurrence_enabled (bool): Whether a run reaches its contacts again on each later day of the calling hours,
            instead of once.
        is_scheduling_enabled (bool): Whether isRecurrenceEnabled holds. A campaign is started by its trigger alone.
    """

    is_recurrence_enabled: bool
    is_scheduling_enabled: bool
    additional_properties: dict[str, Any] = _attrs_field(init=False, factory=dict)

    def to_dict(self) -> dict[str, Any]:
        is_recurrence_enabled = self.is_recurrence_enabled

        is_scheduling_enabled = self.is_scheduling_enabled

        field_dict: dict[str, Any] = {}
        field_dict.update(self.additional_properties)
        field_dict.update(
            {
                "isRecurrenceEnabled": is_recurrence_enabled,
                "isSchedulingEnabled": is_scheduling_enabled,
            }
        )

        return field_dict

    @classmethod
    def from_dict(cls: type[T], src_dict: Mapping[str, Any]) -> T:
        d = dict(src_dict)
        is_recurrence_enabled = d.pop("isRecurrenceEnabled")

        is_scheduling_enabled = d.pop("isSchedulingEnabled")

        campaign_schedule = cls(
            is_recurrence_enabled=is_recurrence_enabled,
            is_scheduling_enabled=is_scheduling_enabled,
        )

        campaign_schedule.additional_properties = d
        return campaign_schedule

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
