from __future__ import annotations

from collections.abc import Mapping
from typing import Any, TypeVar

from attrs import define as _attrs_define
from attrs import field as _attrs_field

from ..types import UNSET, Unset

T = TypeVar("T", bound="SuiteShown")


@_attrs_define
class SuiteShown:
    """
    Attributes:
        field_id (str):
        agent_name (str): That its cases begin with.
        cases (int):
        name (str):
        total_test_steps_count (int):
        language (str | Unset):
    """

    field_id: str
    agent_name: str
    cases: int
    name: str
    total_test_steps_count: int
    language: str | Unset = UNSET
    additional_properties: dict[str, Any] = _attrs_field(init=False, factory=dict)

    def to_dict(self) -> dict[str, Any]:
        field_id = self.field_id

        agent_name = self.agent_name

        cases = self.cases

        name = self.name

        total_test_steps_count = self.total_test_steps_count

        language = self.language

        field_dict: dict[str, Any] = {}
        field_dict.update(self.additional_properties)
        field_dict.update(
            {
                "_id": field_id,
                "agentName": agent_name,
                "cases": cases,
                "name": name,
                "totalTestStepsCount": total_test_steps_count,
            }
        )
        if language is not UNSET:
            field_dict["language"] = language

        return field_dict

    @classmethod
    def from_dict(cls: type[T], src_dict: Mapping[str, Any]) -> T:
        d = dict(src_dict)
        field_id = d.pop("_id")

        agent_name = d.pop("agentName")

        cases = d.pop("cases")

        name = d.pop("name")

        total_test_steps_count = d.pop("totalTestStepsCount")

        language = d.pop("language", UNSET)

        suite_shown = cls(
            field_id=field_id,
            agent_name=agent_name,
            cases=cases,
            name=name,
            total_test_steps_count=total_test_steps_count,
            language=language,
        )

        suite_shown.additional_properties = d
        return suite_shown

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
