from __future__ import annotations

import datetime
from collections.abc import Mapping
from typing import Any, TypeVar

from attrs import define as _attrs_define
from attrs import field as _attrs_field

from ..models.campaign_run_campaign_type import CampaignRunCampaignType
from ..models.campaign_run_status import CampaignRunStatus
from ..types import UNSET, Unset

T = TypeVar("T", bound="CampaignRun")


@_attrs_define
class CampaignRun:
    """
    Attributes:
        campaign_id (str):
        campaign_instance_id (str):
        campaign_type (CampaignRunCampaignType):
        pass_ (int): From 1; only recurring campaigns make further ones.
        pending (int): Contacts that wait for their turn.
        started_at (datetime.datetime):
        status (CampaignRunStatus): listing: its contacts are being listed; held: the campaign is paused; waiting: for
            its next pass; stopped: the campaign was changed or removed.
        total_calls_completed (int): Answered, and over.
        total_contacts (int): Of all passes so far.
        total_failed (int): Not answered, not sent, or not to be asked for at all.
        total_messages_sent (int):
        under_way (int): Calls and messages without an outcome yet.
        ended_at (datetime.datetime | Unset):
        next_opening (datetime.datetime | Unset): When contacts are reached again: the campaign is outside of its
            calling hours, or waits for its next pass.
    """

    campaign_id: str
    campaign_instance_id: str
    campaign_type: CampaignRunCampaignType
    pass_: int
    pending: int
    started_at: datetime.datetime
    status: CampaignRunStatus
    total_calls_completed: int
    total_contacts: int
    total_failed: int
    total_messages_sent: int
    under_way: int
    ended_at: datetime.datetime | Unset = UNSET
    next_opening: datetime.datetime | Unset = UNSET
    additional_properties: dict[str, Any] = _attrs_field(init=False, factory=dict)

    def to_dict(self) -> dict[str, Any]:
        campaign_id = self.campaign_id

        campaign_instance_id = self.campaign_instance_id

        campaign_type = self.campaign_type.value

        pass_ = self.pass_

        pending = self.pending

        started_at = self.started_at.isoformat()

        status = self.status.value

        total_calls_completed = self.total_calls_completed

        total_contacts = self.total_contacts

        total_failed = self.total_failed

        total_messages_sent = self.total_messages_sent

        under_way = self.under_way

        ended_at: str | Unset = UNSET
        if not isinstance(self.ended_at, Unset):
            ended_at = self.ended_at.isoformat()

        next_opening: str | Unset = UNSET
        if not isinstance(self.next_opening, Unset):
            next_opening = self.next_opening.isoformat()

        field_dict: dict[str, Any] = {}
        field_dict.update(self.additional_properties)
        field_dict.update(
            {
                "campaignId": campaign_id,
                "campaignInstanceId": campaign_instance_id,
                "campaignType": campaign_type,
                "pass": pass_,
                "pending": pending,
                "startedAt": started_at,
                "status": status,
                "totalCallsCompleted": total_calls_completed,
                "totalContacts": total_contacts,
                "totalFailed": total_failed,
                "totalMessagesSent": total_messages_sent,
                "underWay": under_way,
            }
        )
        if ended_at is not UNSET:
            field_dict["endedAt"] = ended_at
        if next_opening is not UNSET:
            field_dict["nextOpening"] = next_opening

        return field_dict

    @classmethod
    def from_dict(cls: type[T], src_dict: Mapping[str, Any]) -> T:
        d = dict(src_dict)
        campaign_id = d.pop("campaignId")

        campaign_instance_id = d.pop("campaignInstanceId")

        campaign_type = CampaignRunCampaignType(d.pop("campaignType"))

        pass_ = d.pop("pass")

        pending = d.pop("pending")

        started_at = datetime.datetime.fromisoformat(d.pop("startedAt"))

        status = CampaignRunStatus(d.pop("status"))

        total_calls_completed = d.pop("totalCallsCompleted")

        total_contacts = d.pop("totalContacts")

        total_failed = d.pop("totalFailed")

        total_messages_sent = d.pop("totalMessagesSent")

        under_way = d.pop("underWay")

        _ended_at = d.pop("endedAt", UNSET)
        ended_at: datetime.datetime | Unset
        if isinstance(_ended_at, Unset):
            ended_at = UNSET
        else:
            ended_at = datetime.datetime.fromisoformat(_ended_at)

        _next_opening = d.pop("nextOpening", UNSET)
        next_opening: datetime.datetime | Unset
        if isinstance(_next_opening, Unset):
            next_opening = UNSET
        else:
            next_opening = datetime.datetime.fromisoformat(_next_opening)

        campaign_run = cls(
            campaign_id=campaign_id,
            campaign_instance_id=campaign_instance_id,
            campaign_type=campaign_type,
            pass_=pass_,
            pending=pending,
            started_at=started_at,
            status=status,
            total_calls_completed=total_calls_completed,
            total_contacts=total_contacts,
            total_failed=total_failed,
            total_messages_sent=total_messages_sent,
            under_way=under_way,
            ended_at=ended_at,
            next_opening=next_opening,
        )

        campaign_run.additional_properties = d
        return campaign_run

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
