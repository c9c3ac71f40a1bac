from __future__ import annotations

from collections.abc import Mapping
from typing import Any, TypeVar

from attrs import define as _attrs_define
from attrs import field as _attrs_field

T = TypeVar("T", bound="AgentInSession")


@_attrs_define
class AgentInSession:
    """
    Attributes:
        agent_name (str):
        handoffs (int): Times that it gave the conversation to another.
        messages (int): That it said.
        returns (int): Times that it gave it back.
        steps (int): Times that it came to a step.
        turns (int): In which it was at it.
    """

    agent_name: str
    handoffs: int
    messages: int
    returns: int
    steps: int
    turns: int
    additional_properties: dict[str, Any] = _attrs_field(init=False, factory=dict)

    def to_dict(self) -> dict[str, Any]:
        agent_name = self.agent_name

        handoffs = self.handoffs

        messages = self.messages

        returns = self.returns

        steps = self.steps

        turns = self.turns

        field_dict: dict[str, Any] = {}
        field_dict.update(self.additional_properties)
        field_dict.update(
            {
                "agentName": agent_name,
                "handoffs": handoffs,
                "messages": messages,
                "returns": returns,
                "steps": steps,
                "turns": turns,
            }
        )

        return field_dict

    @classmethod
    def from_dict(cls: type[T], src_dict: Mapping[str, Any]) -> T:
        d = dict(src_dict)
        agent_name = d.pop("agentName")

        handoffs = d.pop("handoffs")

        messages = d.pop("messages")

        returns = d.pop("returns")

        steps = d.pop("steps")

        turns = d.pop("turns")

        agent_in_session = cls(
            agent_name=agent_name,
            handoffs=handoffs,
            messages=messages,
            returns=returns,
            steps=steps,
            turns=turns,
        )

        agent_in_session.additional_properties = d
        return agent_in_session

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
