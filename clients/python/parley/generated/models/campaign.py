from __future__ import annotations

import datetime
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, TypeVar, cast

from attrs import define as _attrs_define
from attrs import field as _attrs_field

from ..models.campaign_campaign_type import CampaignCampaignType
from ..models.campaign_direction import CampaignDirection
from ..models.campaign_priority import CampaignPriority
from ..models.campaign_status import CampaignStatus
from ..types import UNSET, Unset

if TYPE_CHECKING:
    from ..models.campaign_schedule import CampaignSchedule
    from ..models.dialing_strategy import DialingStrategy


T = TypeVar("T", bound="Campaign")


@_attrs_define
class Campaign:
    """
    Attributes:
        field_id (str):
        campaign_type (CampaignCampaignType):
        contact_lists (list[str]): Names of contact lists, in the order in which they are reached.
        created_at (datetime.datetime):
        description (str):
        dialing_strategy (DialingStrategy):
        direction (CampaignDirection): Campaigns reach people; they never wait to be reached.
        enable_machine_detect (bool): Of voice: whether answering machines are hung up on. Always false of sms.
        experience_flow (str): Id of the experience flow.
        experience_flow_name (str): Its name when the campaign was last defined.
        format_ (str):
        lname (str): The name in lower case.
        name (str):
        priority (CampaignPriority):
        schedule (CampaignSchedule):
        status (CampaignStatus):
        total_calls_completed (int): Calls of all runs that were answered and are over.
        total_messages_sent (int): By all runs.
        updated_at (datetime.datetime): When it was last changed, started, paused, resumed or completed.
        campaign_instance_id (str | Unset): The run that is under way, else the last one; absent before the first.
    """

    field_id: str
    campaign_type: CampaignCampaignType
    contact_lists: list[str]
    created_at: datetime.datetime
    description: str
    dialing_strategy: DialingStrategy
    direction: CampaignDirection
    enable_machine_detect: bool
    experience_flow: str
    experience_flow_name: str
    format_: str
    lname: str
    name: str
    priority: CampaignPriority
    schedule: CampaignSchedule
    status: CampaignStatus
    total_calls_completed: int
    total_messages_sent: int
    updated_at: datetime.datetime
    campaign_instance_id: str | Unset = UNSET
    additional_properties: dict[str, Any] = _attrs_field(init=False, factory=dict)

    def to_dict(self) -> dict[str, Any]:
        field_id = self.field_id

        campaign_type = self.campaign_type.value

        contact_lists = self.contact_lists

        created_at = self.created_at.isoformat()

        description = self.description

        dialing_strategy = self.dialing_strategy.to_dict()

        direction = self.direction.value

        enable_machine_detect = self.enable_machine_detect

        experience_flow = self.experience_flow

        experience_flow_name = self.experience_flow_name

        format_ = self.format_

        lname = self.lname

        name = self.name

        priority = self.priority.value

        schedule = self.schedule.to_dict()

        status = self.status.value

        total_calls_completed = self.total_calls_completed

        total_messages_sent = self.total_messages_sent

        updated_at = self.updated_at.isoformat()

        campaign_instance_id = self.campaign_instance_id

        field_dict: dict[str, Any] = {}
        field_dict.update(self.additional_properties)
        field_dict.update(
            {
                "_id": field_id,
                "campaignType": campaign_type,
                "contactLists": contact_lists,
                "createdAt": created_at,
                "description": description,
                "dialingStrategy": dialing_strategy,
                "direction": direction,
                "enableMachineDetect": enable_machine_detect,
                "experienceFlow": experience_flow,
                "experienceFlowName": experience_flow_name,
                "format": format_,
                "lname": lname,
                "name": name,
                "priority": priority,
                "schedule": schedule,
                "status": status,
                "totalCallsCompleted": total_calls_completed,
                "totalMessagesSent": total_messages_sent,
                "updatedAt": updated_at,
            }
        )
        if campaign_instance_id is not UNSET:
            field_dict["campaignInstanceId"] = campaign_instance_id

        return field_dict

    @classmethod
    def from_dict(cls: type[T], src_dict: Mapping[str, Any]) -> T:
        from ..models.campaign_schedule import CampaignSchedule  # noqa: PLC0415
        from ..models.dialing_strategy import DialingStrategy  # noqa: PLC0415

        d = dict(src_dict)
        field_id = d.pop("_id")

        campaign_type = CampaignCampaignType(d.pop("campaignType"))

        contact_lists = cast(list[str], d.pop("contactLists"))

        created_at = datetime.datetime.fromisoformat(d.pop("createdAt"))

        description = d.pop("description")

        dialing_strategy = DialingStrategy.from_dict(d.pop("dialingStrategy"))

        direction = CampaignDirection(d.pop("direction"))

        enable_machine_detect = d.pop("enableMachineDetect")

        experience_flow = d.pop("experienceFlow")

        experience_flow_name = d.pop("experienceFlowName")

        format_ = d.pop("format")

        lname = d.pop("lname")

        name = d.pop("name")

        priority = CampaignPriority(d.pop("priority"))

        schedule = CampaignSchedule.from_dict(d.pop("schedule"))

        status = CampaignStatus(d.pop("status"))

        total_calls_completed = d.pop("totalCallsCompleted")

        total_messages_sent = d.pop("totalMessagesSent")

        updated_at = datetime.datetime.fromisoformat(d.pop("updatedAt"))

        campaign_instance_id = d.pop("campaignInstanceId", UNSET)

        campaign = cls(
            field_id=field_id,
            campaign_type=campaign_type,
            contact_lists=contact_lists,
            created_at=created_at,
            description=description,
            dialing_strategy=dialing_strategy,
            direction=direction,
            enable_machine_detect=enable_machine_detect,
            experience_flow=experience_flow,
            experience_flow_name=experience_flow_name,
            format_=format_,
            lname=lname,
            name=name,
            priority=priority,
            schedule=schedule,
            status=status,
            total_calls_completed=total_calls_completed,
            total_messages_sent=total_messages_sent,
            updated_at=updated_at,
            campaign_instance_id=campaign_instance_id,
        )

        campaign.additional_properties = d
        return campaign

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
