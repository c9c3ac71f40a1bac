from __future__ import annotations

import datetime
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, TypeVar, cast

from attrs import define as _attrs_define
from attrs import field as _attrs_field

from ..models.transfer_status import TransferStatus
from ..types import UNSET, Unset

if TYPE_CHECKING:
    from ..models.escalation import Escalation


T = TypeVar("T", bound="Transfer")


@_attrs_define
class Transfer:
    """
    Attributes:
        requested_at (datetime.datetime):
        session_id (str):
        skills (list[str]):
        status (TransferStatus): ended: it was assigned, and the interaction is over.
        transfer_id (str):
        voicemail (bool): The wait was over, and voicemail took the conversation.
        a_id (str | Unset): The agent who was asked for.
        accepted_time (datetime.datetime | Unset): An assignment is accepted when it is made.
        agent_id (str | Unset): Who has the conversation, or had it.
        assigned_at (datetime.datetime | Unset):
        conversation_id (str | Unset): As hooks and agents know it; absent while nobody has taken the session.
        ended_at (datetime.datetime | Unset):
        escalation (Escalation | Unset):
        queue_id (str | Unset): The queue that was asked for.
        queue_name (str | Unset): As it was called then.
        queued_at (datetime.datetime | Unset): Absent if it never waited.
        reason (str | Unset): Why it failed or ended.
        wait_until (datetime.datetime | Unset):
    """

    requested_at: datetime.datetime
    session_id: str
    skills: list[str]
    status: TransferStatus
    transfer_id: str
    voicemail: bool
    a_id: str | Unset = UNSET
    accepted_time: datetime.datetime | Unset = UNSET
    agent_id: str | Unset = UNSET
    assigned_at: datetime.datetime | Unset = UNSET
    conversation_id: str | Unset = UNSET
    ended_at: datetime.datetime | Unset = UNSET
    escalation: Escalation | Unset = UNSET
    queue_id: str | Unset = UNSET
    queue_name: str | Unset = UNSET
    queued_at: datetime.datetime | Unset = UNSET
    reason: str | Unset = UNSET
    wait_until: datetime.datetime | Unset = UNSET
    additional_properties: dict[str, Any] = _attrs_field(init=False, factory=dict)

    def to_dict(self) -> dict[str, Any]:
        requested_at = self.requested_at.isoformat()

        session_id = self.session_id

        skills = self.skills

        status = self.status.value

        transfer_id = self.transfer_id

        voicemail = self.voicemail

        a_id = self.a_id

        accepted_time: str | Unset = UNSET
        if not isinstance(self.accepted_time, Unset):
            accepted_time = self.accepted_time.isoformat()

        agent_id = self.agent_id

        assigned_at: str | Unset = UNSET
        if not isinstance(self.assigned_at, Unset):
            assigned_at = self.assigned_at.isoformat()

        conversation_id = self.conversation_id

        ended_at: str | Unset = UNSET
        if not isinstance(self.ended_at, Unset):
            ended_at = self.ended_at.isoformat()

        escalation: dict[str, Any] | Unset = UNSET
        if not isinstance(self.escalation, Unset):
            escalation = self.escalation.to_dict()

        queue_id = self.queue_id

        queue_name = self.queue_name

        queued_at: str | Unset = UNSET
        if not isinstance(self.queued_at, Unset):
            queued_at = self.queued_at.isoformat()

        reason = self.reason

        wait_until: str | Unset = UNSET
        if not isinstance(self.wait_until, Unset):
            wait_until = self.wait_until.isoformat()

        field_dict: dict[str, Any] = {}
        field_dict.update(self.additional_properties)
        field_dict.update(
            {
                "requestedAt": requested_at,
                "sessionId": session_id,
                "skills": skills,
                "status": status,
                "transferId": transfer_id,
                "voicemail": voicemail,
            }
        )
        if a_id is not UNSET:
            field_dict["aId"] = a_id
        if accepted_time is not UNSET:
            field_dict["acceptedTime"] = accepted_time
        if agent_id is not UNSET:
            field_dict["agentId"] = agent_id
        if assigned_at is not UNSET:
            field_dict["assignedAt"] = assigned_at
        if conversation_id is not UNSET:
            field_dict["conversationId"] = conversation_id
        if ended_at is not UNSET:
            field_dict["endedAt"] = ended_at
        if escalation is not UNSET:
            field_dict["escalation"] = escalation
        if queue_id is not UNSET:
            field_dict["queueId"] = queue_id
        if queue_name is not UNSET:
            field_dict["queueName"] = queue_name
        if queued_at is not UNSET:
            field_dict["queuedAt"] = queued_at
        if reason is not UNSET:
            field_dict["reason"] = reason
        if wait_until is not UNSET:
            field_dict["waitUntil"] = wait_until

        return field_dict

    @classmethod
    def from_dict(cls: type[T], src_dict: Mapping[str, Any]) -> T:
        from ..models.escalation import Escalation  # noqa: PLC0415

        d = dict(src_dict)
        requested_at = datetime.datetime.fromisoformat(d.pop("requestedAt"))

        session_id = d.pop("sessionId")

        skills = cast(list[str], d.pop("skills"))

        status = TransferStatus(d.pop("status"))

        transfer_id = d.pop("transferId")

        voicemail = d.pop("voicemail")

        a_id = d.pop("aId", UNSET)

        _accepted_time = d.pop("acceptedTime", UNSET)
        accepted_time: datetime.datetime | Unset
        if isinstance(_accepted_time, Unset):
            accepted_time = UNSET
        else:
            accepted_time = datetime.datetime.fromisoformat(_accepted_time)

        agent_id = d.pop("agentId", UNSET)

        _assigned_at = d.pop("assignedAt", UNSET)
        assigned_at: datetime.datetime | Unset
        if isinstance(_assigned_at, Unset):
            assigned_at = UNSET
        else:
            assigned_at = datetime.datetime.fromisoformat(_assigned_at)

        conversation_id = d.pop("conversationId", UNSET)

        _ended_at = d.pop("endedAt", UNSET)
        ended_at: datetime.datetime | Unset
        if isinstance(_ended_at, Unset):
            ended_at = UNSET
        else:
            ended_at = datetime.datetime.fromisoformat(_ended_at)

        _escalation = d.pop("escalation", UNSET)
        escalation: Escalation | Unset
        if isinstance(_escalation, Unset):
            escalation = UNSET
        else:
            escalation = Escalation.from_dict(_escalation)

        queue_id = d.pop("queueId", UNSET)

        queue_name = d.pop("queueName", UNSET)

        _queued_at = d.pop("queuedAt", UNSET)
        queued_at: datetime.datetime | Unset
        if isinstance(_queued_at, Unset):
            queued_at = UNSET
        else:
            queued_at = datetime.datetime.fromisoformat(_queued_at)

        reason = d.pop("reason", UNSET)

        _wait_until = d.pop("waitUntil", UNSET)
        wait_until: datetime.datetime | Unset
        if isinstance(_wait_until, Unset):
            wait_until = UNSET
        else:
            wait_until = datetime.datetime.fromisoformat(_wait_until)

        transfer = cls(
            requested_at=requested_at,
            session_id=session_id,
            skills=skills,
            status=status,
            transfer_id=transfer_id,
            voicemail=voicemail,
            a_id=a_id,
            accepted_time=accepted_time,
            agent_id=agent_id,
            assigned_at=assigned_at,
            conversation_id=conversation_id,
            ended_at=ended_at,
            escalation=escalation,
            queue_id=queue_id,
            queue_name=queue_name,
            queued_at=queued_at,
            reason=reason,
            wait_until=wait_until,
        )

        transfer.additional_properties = d
        return transfer

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
