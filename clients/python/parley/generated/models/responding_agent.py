from __future__ import annotations

from collections.abc import Mapping
from typing import Any, TypeVar, cast

from attrs import define as _attrs_define
from attrs import field as _attrs_field

from ..models.responding_agent_destination_type import RespondingAgentDestinationType
from ..models.responding_agent_status import RespondingAgentStatus
from ..types import UNSET, Unset

T = TypeVar("T", bound="RespondingAgent")


@_attrs_define
class RespondingAgent:
    """
    Attributes:
        accepted_time (str):
        agent_id (str):
        agent_notes (list[str]):
        assigned_at (str):
        destination_type (RespondingAgentDestinationType):
        email (str):
        name (str):
        status (RespondingAgentStatus):
        after_call_work_duration (float | Unset):
        after_call_work_end_time (str | Unset):
        first_response_duration (float | Unset):
        first_response_time (str | Unset):
        interaction_duration (float | Unset):
        interaction_end_time (str | Unset):
    """

    accepted_time: str
    agent_id: str
    agent_notes: list[str]
    assigned_at: str
    destination_type: RespondingAgentDestinationType
    email: str
    name: str
    status: RespondingAgentStatus
    after_call_work_duration: float | Unset = UNSET
    after_call_work_end_time: str | Unset = UNSET
    first_response_duration: float | Unset = UNSET
    first_response_time: str | Unset = UNSET
    interaction_duration: float | Unset = UNSET
    interaction_end_time: str | Unset = UNSET
    additional_properties: dict[str, Any] = _attrs_field(init=False, factory=dict)

    def to_dict(self) -> dict[str, Any]:
        accepted_time = self.accepted_time

        agent_id = self.agent_id

        agent_notes = self.agent_notes

        assigned_at = self.assigned_at

        destination_type = self.destination_type.value

        email = self.email

        name = self.name

        status = self.status.value

        after_call_work_duration = self.after_call_work_duration

        after_call_work_end_time = self.after_call_work_end_time

        first_response_duration = self.first_response_duration

        first_response_time = self.first_response_time

        interaction_duration = self.interaction_duration

        interaction_end_time = self.interaction_end_time

        field_dict: dict[str, Any] = {}
        field_dict.update(self.additional_properties)
        field_dict.update(
            {
                "acceptedTime": accepted_time,
                "agentId": agent_id,
                "agentNotes": agent_notes,
                "assignedAt": assigned_at,
                "destinationType": destination_type,
                "email": email,
                "name": name,
                "status": status,
            }
        )
        if after_call_work_duration is not UNSET:
            field_dict["afterCallWorkDuration"] = after_call_work_duration
        if after_call_work_end_time is not UNSET:
            field_dict["afterCallWorkEndTime"] = after_call_work_end_time
        if first_response_duration is not UNSET:
            field_dict["firstResponseDuration"] = first_response_duration
        if first_response_time is not UNSET:
            field_dict["firstResponseTime"] = first_response_time
        if interaction_duration is not UNSET:
            field_dict["interactionDuration"] = interaction_duration
        if interaction_end_time is not UNSET:
            field_dict["interactionEndTime"] = interaction_end_time

        return field_dict

    @classmethod
    def from_dict(cls: type[T], src_dict: Mapping[str, Any]) -> T:
        d = dict(src_dict)
        accepted_time = d.pop("acceptedTime")

        agent_id = d.pop("agentId")

        agent_notes = cast(list[str], d.pop("agentNotes"))

        assigned_at = d.pop("assignedAt")

        destination_type = RespondingAgentDestinationType(d.pop("destinationType"))

        email = d.pop("email")

        name = d.pop("name")

        status = RespondingAgentStatus(d.pop("status"))

        after_call_work_duration = d.pop("afterCallWorkDuration", UNSET)

        after_call_work_end_time = d.pop("afterCallWorkEndTime", UNSET)

        first_response_duration = d.pop("firstResponseDuration", UNSET)

        first_response_time = d.pop("firstResponseTime", UNSET)

        interaction_duration = d.pop("interactionDuration", UNSET)

        interaction_end_time = d.pop("interactionEndTime", UNSET)

        responding_agent = cls(
            accepted_time=accepted_time,
            agent_id=agent_id,
            agent_notes=agent_notes,
            assigned_at=assigned_at,
            destination_type=destination_type,
            email=email,
            name=name,
            status=status,
            after_call_work_duration=after_call_work_duration,
            after_call_work_end_time=after_call_work_end_time,
            first_response_duration=first_response_duration,
            first_response_time=first_response_time,
            interaction_duration=interaction_duration,
            interaction_end_time=interaction_end_time,
        )

        responding_agent.additional_properties = d
        return responding_agent

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
