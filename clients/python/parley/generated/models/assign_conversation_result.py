from __future__ import annotations

from collections.abc import Mapping
from typing import Any, TypeVar

from attrs import define as _attrs_define
from attrs import field as _attrs_field

from ..models.assign_conversation_result_status import AssignConversationResultStatus
from ..types import UNSET, Unset

T = TypeVar("T", bound="AssignConversationResult")


@_attrs_define
class AssignConversationResult:
    """
    Attributes:
        request_completed_at (int): Epoch milliseconds.
        session_id (str):
        status (AssignConversationResultStatus):
        transfer_id (str): Extension: the transfer in the list of transfers.
        agent_id (str | Unset): Of a transfer to an agent.
        conversation_id (str | Unset): Extension: as hooks and agents know it; absent while nobody has taken the
            session.
        queue_id (str | Unset): Of a transfer to a queue.
        reason (str | Unset): Why it failed.
    """

    request_completed_at: int
    session_id: str
    status: AssignConversationResultStatus
    transfer_id: str
    agent_id: str | Unset = UNSET
    conversation_id: str | Unset = UNSET
    queue_id: str | Unset = UNSET
    reason: str | Unset = UNSET
    additional_properties: dict[str, Any] = _attrs_field(init=False, factory=dict)

    def to_dict(self) -> dict[str, Any]:
        request_completed_at = self.request_completed_at

        session_id = self.session_id

        status = self.status.value

        transfer_id = self.transfer_id

        agent_id = self.agent_id

        conversation_id = self.conversation_id

        queue_id = self.queue_id

        reason = self.reason

        field_dict: dict[str, Any] = {}
        field_dict.update(self.additional_properties)
        field_dict.update(
            {
                "requestCompletedAt": request_completed_at,
                "sessionId": session_id,
                "status": status,
                "transferId": transfer_id,
            }
        )
        if agent_id is not UNSET:
            field_dict["agentId"] = agent_id
        if conversation_id is not UNSET:
            field_dict["conversationId"] = conversation_id
        if queue_id is not UNSET:
            field_dict["queueId"] = queue_id
        if reason is not UNSET:
            field_dict["reason"] = reason

        return field_dict

    @classmethod
    def from_dict(cls: type[T], src_dict: Mapping[str, Any]) -> T:
        d = dict(src_dict)
        request_completed_at = d.pop("requestCompletedAt")

        session_id = d.pop("sessionId")

        status = AssignConversationResultStatus(d.pop("status"))

        transfer_id = d.pop("transferId")

        agent_id = d.pop("agentId", UNSET)

        conversation_id = d.pop("conversationId", UNSET)

        queue_id = d.pop("queueId", UNSET)

        reason = d.pop("reason", UNSET)

        assign_conversation_result = cls(
            request_completed_at=request_completed_at,
            session_id=session_id,
            status=status,
            transfer_id=transfer_id,
            agent_id=agent_id,
            conversation_id=conversation_id,
            queue_id=queue_id,
            reason=reason,
        )

        assign_conversation_result.additional_properties = d
        return assign_conversation_result

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
