from __future__ import annotations

from collections.abc import Mapping
from typing import Any, TypeVar

from attrs import define as _attrs_define
from attrs import field as _attrs_field

from ..types import UNSET, Unset

T = TypeVar("T", bound="AgentLanguage")


@_attrs_define
class AgentLanguage:
    """
    Attributes:
        language (str):
        proficiency (int): How well, 0 to 100.
        is_active (bool | Unset): Whether it is used at present; yes when absent.
    """

    language: str
    proficiency: int
    is_active: bool | Unset = UNSET
    additional_properties: dict[str, Any] = _attrs_field(init=False, factory=dict)

    def to_dict(self) -> dict[str, Any]:
        language = self.language

        proficiency = self.proficiency

        is_active = self.is_active

        field_dict: dict[str, Any] = {}
        field_dict.update(self.additional_properties)
        field_dict.update(
            {
                "language": language,
                "proficiency": proficiency,
            }
        )
        if is_active is not UNSET:
            field_dict["isActive"] = is_active

        return field_dict

    @classmethod
    def from_dict(cls: type[T], src_dict: Mapping[str, Any]) -> T:
        d = dict(src_dict)
        language = d.pop("language")

        proficiency = d.pop("proficiency")

        is_active = d.pop("isActive", UNSET)

        agent_language = cls(
            language=language,
            proficiency=proficiency,
            is_active=is_active,
        )

        agent_language.additional_properties = d
        return agent_language

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
