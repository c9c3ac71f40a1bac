from __future__ import annotations

from collections.abc import Mapping
from typing import Any, TypeVar

from attrs import define as _attrs_define
from attrs import field as _attrs_field

from ..types import UNSET, Unset

T = TypeVar("T", bound="AgentGroup")


@_attrs_define
class AgentGroup:
    """
    Attributes:
        group_id (str): The group's id.
        role (str): What the agent is in the group.
        access_level (str | Unset): What the agent may do in the group.
        group_name (str | Unset): The group's name, for people.
    """

    group_id: str
    role: str
    access_level: str | Unset = UNSET
    group_name: str | Unset = UNSET
    additional_properties: dict[str, Any] = _attrs_field(init=False, factory=dict)

    def to_dict(self) -> dict[str, Any]:
        group_id = self.group_id

        role = self.role

        access_level = self.access_level

        group_name = self.group_name

        field_dict: dict[str, Any] = {}
        field_dict.update(self.additional_properties)
        field_dict.update(
            {
                "groupId": group_id,
                "role": role,
            }
        )
        if access_level is not UNSET:
            field_dict["accessLevel"] = access_level
        if group_name is not UNSET:
            field_dict["groupName"] = group_name

        return field_dict

    @classmethod
    def from_dict(cls: type[T], src_dict: Mapping[str, Any]) -> T:
        d = dict(src_dict)
        group_id = d.pop("groupId")

        role = d.pop("role")

        access_level = d.pop("accessLevel", UNSET)

        group_name = d.pop("groupName", UNSET)

        agent_group = cls(
            group_id=group_id,
            role=role,
            access_level=access_level,
            group_name=group_name,
        )

        agent_group.additional_properties = d
        return agent_group

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
