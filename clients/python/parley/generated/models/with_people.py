from __future__ import annotations

import datetime
from collections.abc import Mapping
from typing import Any, TypeVar

from attrs import define as _attrs_define
from attrs import field as _attrs_field

from ..types import UNSET, Unset

T = TypeVar("T", bound="WithPeople")


@_attrs_define
class WithPeople:
    """
    Attributes:
        conversation_id (str): In which they answer.
        since (datetime.datetime):
        transfer_id (str): As list-transfers has it.
        waiting (bool): Nobody has it yet.
        agent_id (str | Unset): Who has it; absent: nobody yet, or nobody whom Parley knows.
        queue_id (str | Unset): In whose line it waits, or waited.
    """

    conversation_id: str
    since: datetime.datetime
    transfer_id: str
    waiting: bool
    agent_id: str | Unset = UNSET
    queue_id: str | Unset = UNSET
    additional_properties: dict[str, Any] = _attrs_field(init=False, factory=dict)

    def to_dict(self) -> dict[str, Any]:
        conversation_id = self.conversation_id

        since = self.since.isoformat()

        transfer_id = self.transfer_id

        waiting = self.waiting

        agent_id = self.agent_id

        queue_id = self.queue_id

        field_dict: dict[str, Any] = {}
        field_dict.update(self.additional_properties)
        field_dict.update(
            {
                "conversationId": conversation_id,
                "since": since,
                "transferId": transfer_id,
                "waiting": waiting,
            }
        )
        if agent_id is not UNSET:
            field_dict["agentId"] = agent_id
        if queue_id is not UNSET:
            field_dict["queueId"] = queue_id

        return field_dict

    @classmethod
    def from_dict(cls: type[T], src_dict: Mapping[str, Any]) -> T:
        d = dict(src_dict)
        conversation_id = d.pop("conversationId")

        since = datetime.datetime.fromisoformat(d.pop("since"))

        transfer_id = d.pop("transferId")

        waiting = d.pop("waiting")

        agent_id = d.pop("agentId", UNSET)

        queue_id = d.pop("queueId", UNSET)

        with_people = cls(
            conversation_id=conversation_id,
            since=since,
            transfer_id=transfer_id,
            waiting=waiting,
            agent_id=agent_id,
            queue_id=queue_id,
        )

        with_people.additional_properties = d
        return with_people

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
