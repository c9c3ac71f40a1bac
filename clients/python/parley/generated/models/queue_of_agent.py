from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, TypeVar, cast

from attrs import define as _attrs_define
from attrs import field as _attrs_field

if TYPE_CHECKING:
    from ..models.queue_agent import QueueAgent


T = TypeVar("T", bound="QueueOfAgent")


@_attrs_define
class QueueOfAgent:
    """
    Attributes:
        agent_groups (list[str]): Ids of groups whose agents serve the queue too.
        agents (list[QueueAgent]):
        description (str):
        id (str):
        name (str):
    """

    agent_groups: list[str]
    agents: list[QueueAgent]
    description: str
    id: str
    name: str
    additional_properties: dict[str, Any] = _attrs_field(init=False, factory=dict)

    def to_dict(self) -> dict[str, Any]:
        agent_groups = self.agent_groups

        agents = []
        for agents_item_data in self.agents:
            agents_item = agents_item_data.to_dict()
            agents.append(agents_item)

        description = self.description

        id = self.id

        name = self.name

        field_dict: dict[str, Any] = {}
        field_dict.update(self.additional_properties)
        field_dict.update(
            {
                "agentGroups": agent_groups,
                "agents": agents,
                "description": description,
                "id": id,
                "name": name,
            }
        )

        return field_dict

    @classmethod
    def from_dict(cls: type[T], src_dict: Mapping[str, Any]) -> T:
        from ..models.queue_agent import QueueAgent  # noqa: PLC0415

        d = dict(src_dict)
        agent_groups = cast(list[str], d.pop("agentGroups"))

        agents = []
        _agents = d.pop("agents")
        for agents_item_data in _agents:
            agents_item = QueueAgent.from_dict(agents_item_data)

            agents.append(agents_item)

        description = d.pop("description")

        id = d.pop("id")

        name = d.pop("name")

        queue_of_agent = cls(
            agent_groups=agent_groups,
            agents=agents,
            description=description,
            id=id,
            name=name,
        )

        queue_of_agent.additional_properties = d
        return queue_of_agent

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
