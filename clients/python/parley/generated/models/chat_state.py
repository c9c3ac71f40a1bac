from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, TypeVar

from attrs import define as _attrs_define
from attrs import field as _attrs_field

from ..models.chat_state_status import ChatStateStatus

if TYPE_CHECKING:
    from ..models.chat_state_gathered import ChatStateGathered
    from ..models.chat_state_variables import ChatStateVariables


T = TypeVar("T", bound="ChatState")


@_attrs_define
class ChatState:
    """
    Attributes:
        agent_name (str): Who is at it.
        gathered (ChatStateGathered): Values of that agent's slots; sensitive ones are masked.
        status (ChatStateStatus):
        step (str):
        variables (ChatStateVariables):
    """

    agent_name: str
    gathered: ChatStateGathered
    status: ChatStateStatus
    step: str
    variables: ChatStateVariables
    additional_properties: dict[str, Any] = _attrs_field(init=False, factory=dict)

    def to_dict(self) -> dict[str, Any]:
        agent_name = self.agent_name

        gathered = self.gathered.to_dict()

        status = self.status.value

        step = self.step

        variables = self.variables.to_dict()

        field_dict: dict[str, Any] = {}
        field_dict.update(self.additional_properties)
        field_dict.update(
            {
                "agentName": agent_name,
                "gathered": gathered,
                "status": status,
                "step": step,
                "variables": variables,
            }
        )

        return field_dict

    @classmethod
    def from_dict(cls: type[T], src_dict: Mapping[str, Any]) -> T:
        from ..models.chat_state_gathered import ChatStateGathered  # noqa: PLC0415
        from ..models.chat_state_variables import ChatStateVariables  # noqa: PLC0415

        d = dict(src_dict)
        agent_name = d.pop("agentName")

        gathered = ChatStateGathered.from_dict(d.pop("gathered"))

        status = ChatStateStatus(d.pop("status"))

        step = d.pop("step")

        variables = ChatStateVariables.from_dict(d.pop("variables"))

        chat_state = cls(
            agent_name=agent_name,
            gathered=gathered,
            status=status,
            step=step,
            variables=variables,
        )

        chat_state.additional_properties = d
        return chat_state

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
