from __future__ import annotations

from collections.abc import Mapping
from typing import Any, TypeVar

from attrs import define as _attrs_define
from attrs import field as _attrs_field

from ..types import UNSET, Unset

T = TypeVar("T", bound="AgentSkill")


@_attrs_define
class AgentSkill:
    """
    Attributes:
        skill_id (str): The skill's id.
        id (str | Unset): Id of the agent's having the skill.
        name (str | Unset): The skill's name.
        proficiency_level (int | Unset): How well, 0 to 100.
        skill_group_color (str | Unset): How the group is painted.
        skill_group_id (str | Unset): The group of skills it belongs to.
        skill_group_name (str | Unset): The name of that group.
        user_id (str | Unset): The user who has it.
    """

    skill_id: str
    id: str | Unset = UNSET
    name: str | Unset = UNSET
    proficiency_level: int | Unset = UNSET
    skill_group_color: str | Unset = UNSET
    skill_group_id: str | Unset = UNSET
    skill_group_name: str | Unset = UNSET
    user_id: str | Unset = UNSET
    additional_properties: dict[str, Any] = _attrs_field(init=False, factory=dict)

    def to_dict(self) -> dict[str, Any]:
        skill_id = self.skill_id

        id = self.id

        name = self.name

        proficiency_level = self.proficiency_level

        skill_group_color = self.skill_group_color

        skill_group_id = self.skill_group_id

        skill_group_name = self.skill_group_name

        user_id = self.user_id

        field_dict: dict[str, Any] = {}
        field_dict.update(self.additional_properties)
        field_dict.update(
            {
                "skillId": skill_id,
            }
        )
        if id is not UNSET:
            field_dict["id"] = id
        if name is not UNSET:
            field_dict["name"] = name
        if proficiency_level is not UNSET:
            field_dict["proficiencyLevel"] = proficiency_level
        if skill_group_color is not UNSET:
            field_dict["skillGroupColor"] = skill_group_color
        if skill_group_id is not UNSET:
            field_dict["skillGroupId"] = skill_group_id
        if skill_group_name is not UNSET:
            field_dict["skillGroupName"] = skill_group_name
        if user_id is not UNSET:
            field_dict["userId"] = user_id

        return field_dict

    @classmethod
    def from_dict(cls: type[T], src_dict: Mapping[str, Any]) -> T:
        d = dict(src_dict)
        skill_id = d.pop("skillId")

        id = d.pop("id", UNSET)

        name = d.pop("name", UNSET)

        proficiency_level = d.pop("proficiencyLevel", UNSET)

        skill_group_color = d.pop("skillGroupColor", UNSET)

        skill_group_id = d.pop("skillGroupId", UNSET)

        skill_group_name = d.pop("skillGroupName", UNSET)

        user_id = d.pop("userId", UNSET)

        agent_skill = cls(
            skill_id=skill_id,
            id=id,
            name=name,
            proficiency_level=proficiency_level,
            skill_group_color=skill_group_color,
            skill_group_id=skill_group_id,
            skill_group_name=skill_group_name,
            user_id=user_id,
        )

        agent_skill.additional_properties = d
        return agent_skill

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
