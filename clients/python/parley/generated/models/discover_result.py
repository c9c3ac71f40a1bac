from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, TypeVar

from attrs import define as _attrs_define
from attrs import field as _attrs_field

if TYPE_CHECKING:
    from ..models.agent_name import AgentName


T = TypeVar("T", bound="DiscoverResult")


@_attrs_define
class DiscoverResult:
    """
    Attributes:
        agents (list[AgentName]):
        limit (int):
        offset (int):
        success (bool):
        total (int): How many there are in all.
    """

    agents: list[AgentName]
    limit: int
    offset: int
    success: bool
    total: int
    additional_properties: dict[str, Any] = _attrs_field(init=False, factory=dict)

    def to_dict(self) -> dict[str, Any]:
        agents = []
        for agents_item_data in self.agents:
            agents_item = agents_item_data.to_dict()
            agents.append(agents_item)

        limit = self.limit

        offset = self.offset

        success = self.success

        total = self.total

        field_dict: dict[str, Any] = {}
        field_dict.update(self.additional_properties)
        field_dict.update(
            {
                "agents": agents,
                "limit": limit,
                "offset": offset,
                "success": success,
                "total": total,
            }
        )

        return field_dict

    @classmethod
    def from_dict(cls: type[T], src_dict: Mapping[str, Any]) -> T:
        from ..models.agent_name import AgentName  # noqa: PLC0415

        d = dict(src_dict)
        agents = []
        _agents = d.pop("agents")
        for agents_item_data in _agents:
            agents_item = AgentName.from_dict(agents_item_data)

            agents.append(agents_item)

        limit = d.pop("limit")

        offset = d.pop("offset")

        success = d.pop("success")

        total = d.pop("total")

        discover_result = cls(
            agents=agents,
            limit=limit,
            offset=offset,
            success=success,
            total=total,
        )

        discover_result.additional_properties = d
        return discover_result

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
