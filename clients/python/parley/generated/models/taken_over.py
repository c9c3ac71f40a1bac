from __future__ import annotations

import datetime
from collections.abc import Mapping
from typing import Any, TypeVar

from attrs import define as _attrs_define
from attrs import field as _attrs_field

T = TypeVar("T", bound="TakenOver")


@_attrs_define
class TakenOver:
    """
    Attributes:
        agent_id (str):
        conversation_id (str): As hooks and agents know it.
        session_id (str):
        taken_at (datetime.datetime):
        transfer_id (str): As list-transfers has it.
    """

    agent_id: str
    conversation_id: str
    session_id: str
    taken_at: datetime.datetime
    transfer_id: str
    additional_properties: dict[str, Any] = _attrs_field(init=False, factory=dict)

    def to_dict(self) -> dict[str, Any]:
        agent_id = self.agent_id

        conversation_id = self.conversation_id

        session_id = self.session_id

        taken_at = self.taken_at.isoformat()

        transfer_id = self.transfer_id

        field_dict: dict[str, Any] = {}
        field_dict.update(self.additional_properties)
        field_dict.update(
            {
                "agentId": agent_id,
                "conversationId": conversation_id,
                "sessionId": session_id,
                "takenAt": taken_at,
                "transferId": transfer_id,
            }
        )

        return field_dict

    @classmethod
    def from_dict(cls: type[T], src_dict: Mapping[str, Any]) -> T:
        d = dict(src_dict)
        agent_id = d.pop("agentId")

        conversation_id = d.pop("conversationId")

        session_id = d.pop("sessionId")

        taken_at = datetime.datetime.fromisoformat(d.pop("takenAt"))

        transfer_id = d.pop("transferId")

        taken_over = cls(
            agent_id=agent_id,
            conversation_id=conversation_id,
            session_id=session_id,
            taken_at=taken_at,
            transfer_id=transfer_id,
        )

        taken_over.additional_properties = d
        return taken_over

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
