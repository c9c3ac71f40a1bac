from __future__ import annotations

from collections.abc import Mapping
from typing import Any, TypeVar

from attrs import define as _attrs_define
from attrs import field as _attrs_field

T = TypeVar("T", bound="ExportProblem")


@_attrs_define
class ExportProblem:
    """
    Attributes:
        agent (str):
        code (str):
        column (int): From 1, in characters.
        field (str): Where in the structure of the source; empty: all of it.
        hint (str):
        line (int): From 1.
    """

    agent: str
    code: str
    column: int
    field: str
    hint: str
    line: int
    additional_properties: dict[str, Any] = _attrs_field(init=False, factory=dict)

    def to_dict(self) -> dict[str, Any]:
        agent = self.agent

        code = self.code

        column = self.column

        field = self.field

        hint = self.hint

        line = self.line

        field_dict: dict[str, Any] = {}
        field_dict.update(self.additional_properties)
        field_dict.update(
            {
                "agent": agent,
                "code": code,
                "column": column,
                "field": field,
                "hint": hint,
                "line": line,
            }
        )

        return field_dict

    @classmethod
    def from_dict(cls: type[T], src_dict: Mapping[str, Any]) -> T:
        d = dict(src_dict)
        agent = d.pop("agent")

        code = d.pop("code")

        column = d.pop("column")

        field = d.pop("field")

        hint = d.pop("hint")

        line = d.pop("line")

        export_problem = cls(
            agent=agent,
            code=code,
            column=column,
            field=field,
            hint=hint,
            line=line,
        )

        export_problem.additional_properties = d
        return export_problem

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
