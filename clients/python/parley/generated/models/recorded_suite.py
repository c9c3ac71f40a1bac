from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, TypeVar

from attrs import define as _attrs_define
from attrs import field as _attrs_field

from ..types import UNSET, Unset

if TYPE_CHECKING:
    from ..models.recorded_suite_cases_item import RecordedSuiteCasesItem


T = TypeVar("T", bound="RecordedSuite")


@_attrs_define
class RecordedSuite:
    """
    Attributes:
        agent_name (str):
        cases (list[RecordedSuiteCasesItem]):
        project_id (str):
        language (str | Unset):
    """

    agent_name: str
    cases: list[RecordedSuiteCasesItem]
    project_id: str
    language: str | Unset = UNSET
    additional_properties: dict[str, Any] = _attrs_field(init=False, factory=dict)

    def to_dict(self) -> dict[str, Any]:
        agent_name = self.agent_name

        cases = []
        for cases_item_data in self.cases:
            cases_item = cases_item_data.to_dict()
            cases.append(cases_item)

        project_id = self.project_id

        language = self.language

        field_dict: dict[str, Any] = {}
        field_dict.update(self.additional_properties)
        field_dict.update(
            {
                "agentName": agent_name,
                "cases": cases,
                "projectId": project_id,
            }
        )
        if language is not UNSET:
            field_dict["language"] = language

        return field_dict

    @classmethod
    def from_dict(cls: type[T], src_dict: Mapping[str, Any]) -> T:
        from ..models.recorded_suite_cases_item import (
            RecordedSuiteCasesItem,  # noqa: PLC0415
        )

        d = dict(src_dict)
        agent_name = d.pop("agentName")

        cases = []
        _cases = d.pop("cases")
        for cases_item_data in _cases:
            cases_item = RecordedSuiteCasesItem.from_dict(cases_item_data)

            cases.append(cases_item)

        project_id = d.pop("projectId")

        language = d.pop("language", UNSET)

        recorded_suite = cls(
            agent_name=agent_name,
            cases=cases,
            project_id=project_id,
            language=language,
        )

        recorded_suite.additional_properties = d
        return recorded_suite

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
