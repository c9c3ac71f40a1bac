from __future__ import annotations

import datetime
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, TypeVar

from attrs import define as _attrs_define
from attrs import field as _attrs_field

from ..models.conversation_message_assist import ConversationMessageAssist
from ..models.conversation_message_author import ConversationMessageAuthor
from ..models.conversation_message_experience import ConversationMessageExperience
from ..types import UNSET, Unset

if TYPE_CHECKING:
    from ..models.assist_failure import AssistFailure
    from ..models.assist_suggestion import AssistSuggestion


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
        assist (ConversationMessageAssist | Unset): Of a message that asks the assisting agent.
        assist_failure (AssistFailure | Unset):
        suggestion (AssistSuggestion | Unset):
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
    assist_failure: AssistFailure | Unset = UNSET
    suggestion: AssistSuggestion | Unset = UNSET
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

        assist_failure: dict[str, Any] | Unset = UNSET
        if not isinstance(self.assist_failure, Unset):
            assist_failure = self.assist_failure.to_dict()

        suggestion: dict[str, Any] | Unset = UNSET
        if not isinstance(self.suggestion, Unset):
            suggestion = self.suggestion.to_dict()

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
        if assist_failure is not UNSET:
            field_dict["assistFailure"] = assist_failure
        if suggestion is not UNSET:
            field_dict["suggestion"] = suggestion

        return field_dict

    @classmethod
    def from_dict(cls: type[T], src_dict: Mapping[str, Any]) -> T:
        from ..models.assist_failure import AssistFailure  # noqa: PLC0415
        from ..models.assist_suggestion import AssistSuggestion  # noqa: PLC0415

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

        _assist_failure = d.pop("assistFailure", UNSET)
        assist_failure: AssistFailure | Unset
        if isinstance(_assist_failure, Unset):
            assist_failure = UNSET
        else:
            assist_failure = AssistFailure.from_dict(_assist_failure)

        _suggestion = d.pop("suggestion", UNSET)
        suggestion: AssistSuggestion | Unset
        if isinstance(_suggestion, Unset):
            suggestion = UNSET
        else:
            suggestion = AssistSuggestion.from_dict(_suggestion)

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
            assist_failure=assist_failure,
            suggestion=suggestion,
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
