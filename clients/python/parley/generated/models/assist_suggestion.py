from __future__ import annotations

import datetime
from collections.abc import Mapping
from typing import Any, TypeVar

from attrs import define as _attrs_define
from attrs import field as _attrs_field

T = TypeVar("T", bound="AssistSuggestion")


@_attrs_define
class AssistSuggestion:
    """
    Attributes:
        agent_name (str):
        at (datetime.datetime):
        session_id (str): The session in which it was asked: its transcript and traces say how it came to this.
        text (str): Empty: it says nothing to that, as where it would give the conversation to people.
    """

    agent_name: str
    at: datetime.datetime
    session_id: str
    text: str
    additional_properties: dict[str, Any] = _attrs_field(init=False, factory=dict)

    def to_dict(self) -> dict[str, Any]:
        agent_name = self.agent_name

        at = self.at.isoformat()

        session_id = self.session_id

        text = self.text

        field_dict: dict[str, Any] = {}
        field_dict.update(self.additional_properties)
        field_dict.update(
            {
                "agentName": agent_name,
                "at": at,
                "sessionId": session_id,
                "text": text,
            }
        )

        return field_dict

    @classmethod
    def from_dict(cls: type[T], src_dict: Mapping[str, Any]) -> T:
        d = dict(src_dict)
        agent_name = d.pop("agentName")

        at = datetime.datetime.fromisoformat(d.pop("at"))

        session_id = d.pop("sessionId")

        text = d.pop("text")

        assist_suggestion = cls(
            agent_name=agent_name,
            at=at,
            session_id=session_id,
            text=text,
        )

        assist_suggestion.additional_properties = d
        return assist_suggestion

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
