from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, TypeVar, cast

from attrs import define as _attrs_define
from attrs import field as _attrs_field

from ..models.campaign_request_campaign_type import CampaignRequestCampaignType
from ..models.campaign_request_priority import CampaignRequestPriority
from ..types import UNSET, Unset

if TYPE_CHECKING:
    from ..models.campaign_schedule_input import CampaignScheduleInput
    from ..models.dialing_strategy import DialingStrategy


T = TypeVar("T", bound="CampaignRequest")


@_attrs_define
class CampaignRequest:
    """
    Attributes:
        campaign_type (CampaignRequestCampaignType):
        contact_lists (list[str]): Names of contact lists of the project, each once, in the order in which they are
            reached.
        description (str):
        dialing_strategy (DialingStrategy):
        experience_flow_name (str): Name of an experience flow of the project: its agent takes the calls, and the
            agent's start text is the message of sms.
        format_ (str): Message format.
        name (str):
        priority (CampaignRequestPriority): Of several campaigns the one with the higher priority goes first.
        enable_machine_detect (bool | Unset): Of voice: hang up on answering machines.
        schedule (CampaignScheduleInput | Unset):
    """

    campaign_type: CampaignRequestCampaignType
    contact_lists: list[str]
    description: str
    dialing_strategy: DialingStrategy
    experience_flow_name: str
    format_: str
    name: str
    priority: CampaignRequestPriority
    enable_machine_detect: bool | Unset = UNSET
    schedule: CampaignScheduleInput | Unset = UNSET
    additional_properties: dict[str, Any] = _attrs_field(init=False, factory=dict)

    def to_dict(self) -> dict[str, Any]:
        campaign_type = self.campaign_type.value

        contact_lists = self.contact_lists

        description = self.description

        dialing_strategy = self.dialing_strategy.to_dict()

        experience_flow_name = self.experience_flow_name

        format_ = self.format_

        name = self.name

        priority = self.priority.value

        enable_machine_detect = self.enable_machine_detect

        schedule: dict[str, Any] | Unset = UNSET
        if not isinstance(self.schedule, Unset):
            schedule = self.schedule.to_dict()

        field_dict: dict[str, Any] = {}
        field_dict.update(self.additional_properties)
        field_dict.update(
            {
                "campaignType": campaign_type,
                "contactLists": contact_lists,
                "description": description,
                "dialingStrategy": dialing_strategy,
                "experienceFlowName": experience_flow_name,
                "format": format_,
                "name": name,
                "priority": priority,
            }
        )
        if enable_machine_detect is not UNSET:
            field_dict["enableMachineDetect"] = enable_machine_detect
        if schedule is not UNSET:
            field_dict["schedule"] = schedule

        return field_dict

    @classmethod
    def from_dict(cls: type[T], src_dict: Mapping[str, Any]) -> T:
        from ..models.campaign_schedule_input import (
            CampaignScheduleInput,  # noqa: PLC0415
        )
        from ..models.dialing_strategy import DialingStrategy  # noqa: PLC0415

        d = dict(src_dict)
        campaign_type = CampaignRequestCampaignType(d.pop("campaignType"))

        contact_lists = cast(list[str], d.pop("contactLists"))

        description = d.pop("description")

        dialing_strategy = DialingStrategy.from_dict(d.pop("dialingStrategy"))

        experience_flow_name = d.pop("experienceFlowName")

        format_ = d.pop("format")

        name = d.pop("name")

        priority = CampaignRequestPriority(d.pop("priority"))

        enable_machine_detect = d.pop("enableMachineDetect", UNSET)

        _schedule = d.pop("schedule", UNSET)
        schedule: CampaignScheduleInput | Unset
        if isinstance(_schedule, Unset):
            schedule = UNSET
        else:
            schedule = CampaignScheduleInput.from_dict(_schedule)

        campaign_request = cls(
            campaign_type=campaign_type,
            contact_lists=contact_lists,
            description=description,
            dialing_strategy=dialing_strategy,
            experience_flow_name=experience_flow_name,
            format_=format_,
            name=name,
            priority=priority,
            enable_machine_detect=enable_machine_detect,
            schedule=schedule,
        )

        campaign_request.additional_properties = d
        return campaign_request

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
