from __future__ import annotations

import datetime
from collections.abc import Mapping
from typing import Any, TypeVar

from attrs import define as _attrs_define
from attrs import field as _attrs_field

from ..models.conversation_message_assist import ConversationMessageAssist
from ..models.conversation_message_author import ConversationMessageAuthor
from ..models.conversation_message_experience import ConversationMessageExperience
from ..types import UNSET, Unset

T = TypeVar("T", bound="ConversationMessage")


@_attrs_define
class ConversationMessage:
    """
    Attributes:
        agent_id (str):
        at (datetime.datetime):
        author (ConversationMessageAuthor):
        experience (ConversationMessageExperience):
        language (str):
        number (int):
        query (str):
        source (str):
        assist (ConversationMessageAssist | Unset): The assisting agent is asked and has not answered.
    """

    agent_id: str
    at: datetime.datetime
    author: ConversationMessageAuthor
    experience: ConversationMessageExperience
    language: str
    number: int
    query: str
    source: str
    assist: ConversationMessageAssist | Unset = UNSET
    additional_properties: dict[str, Any] = _attrs_field(init=False, factory=dict)

    def to_dict(self) -> dict[str, Any]:
        agent_id = self.agent_id

        at = self.at.isoformat()

        author = self.author.value

        experience = self.experience.value

        language = self.language

        number = self.number

        query = self.query

        source = self.source

        assist: str | Unset = UNSET
        if not isinstance(self.assist, Unset):
            assist = self.assist.value

        field_dict: dict[str, Any] = {}
        field_dict.update(self.additional_properties)
        field_dict.update(
            {
                "agentId": agent_id,
                "at": at,
                "author": author,
                "experience": experience,
                "language": language,
                "number": number,
                "query": query,
                "source": source,
            }
        )
        if assist is not UNSET:
            field_dict["assist"] = assist

        return field_dict

    @classmethod
    def from_dict(cls: type[T], src_dict: Mapping[str, Any]) -> T:
        d = dict(src_dict)
        agent_id = d.pop("agentId")

        at = datetime.datetime.fromisoformat(d.pop("at"))

        author = ConversationMessageAuthor(d.pop("author"))

        experience = ConversationMessageExperience(d.pop("experience"))

        language = d.pop("language")

        number = d.pop("number")

        query = d.pop("query")

        source = d.pop("source")

        _assist = d.pop("assist", UNSET)
        assist: ConversationMessageAssist | Unset
        if isinstance(_assist, Unset):
            assist = UNSET
        else:
            assist = ConversationMessageAssist(_assist)

        conversation_message = cls(
            agent_id=agent_id,
            at=at,
            author=author,
            experience=experience,
            language=language,
            number=number,
            query=query,
            source=source,
            assist=assist,
        )

        conversation_message.additional_properties = d
        return conversation_message

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
