from __future__ import annotations

import datetime
from collections.abc import Mapping
from typing import Any, TypeVar

from attrs import define as _attrs_define
from attrs import field as _attrs_field

from ..models.trigger_campaign_result_message import TriggerCampaignResultMessage
from ..models.trigger_campaign_result_status import TriggerCampaignResultStatus

T = TypeVar("T", bound="TriggerCampaignResult")


@_attrs_define
class TriggerCampaignResult:
    """
    Attributes:
        campaign_instance_id (str):
        message (TriggerCampaignResultMessage):
        status (TriggerCampaignResultStatus): Of the campaign, after this.
        total_calls_completed (int): Calls of all runs of the campaign that were answered and are over.
        updated_at (datetime.datetime):
    """

    campaign_instance_id: str
    message: TriggerCampaignResultMessage
    status: TriggerCampaignResultStatus
    total_calls_completed: int
    updated_at: datetime.datetime
    additional_properties: dict[str, Any] = _attrs_field(init=False, factory=dict)

    def to_dict(self) -> dict[str, Any]:
        campaign_instance_id = self.campaign_instance_id

        message = self.message.value

        status = self.status.value

        total_calls_completed = self.total_calls_completed

        updated_at = self.updated_at.isoformat()

        field_dict: dict[str, Any] = {}
        field_dict.update(self.additional_properties)
        field_dict.update(
            {
                "campaignInstanceId": campaign_instance_id,
                "message": message,
                "status": status,
                "totalCallsCompleted": total_calls_completed,
                "updatedAt": updated_at,
            }
        )

        return field_dict

    @classmethod
    def from_dict(cls: type[T], src_dict: Mapping[str, Any]) -> T:
        d = dict(src_dict)
        campaign_instance_id = d.pop("campaignInstanceId")

        message = TriggerCampaignResultMessage(d.pop("message"))

        status = TriggerCampaignResultStatus(d.pop("status"))

        total_calls_completed = d.pop("totalCallsCompleted")

        updated_at = datetime.datetime.fromisoformat(d.pop("updatedAt"))

        trigger_campaign_result = cls(
            campaign_instance_id=campaign_instance_id,
            message=message,
            status=status,
            total_calls_completed=total_calls_completed,
            updated_at=updated_at,
        )

        trigger_campaign_result.additional_properties = d
        return trigger_campaign_result

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
