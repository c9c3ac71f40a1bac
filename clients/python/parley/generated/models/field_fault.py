from __future__ import annotations

from collections.abc import Mapping
from typing import Any, TypeVar

from attrs import define as _attrs_define
from attrs import field as _attrs_field

from ..types import UNSET, Unset

T = TypeVar("T", bound="FieldFault")


@_attrs_define
class FieldFault:
    """
    Attributes:
        field (str):
        problem (str):
        code (str | Unset):
        column (int | Unset):
        hint (str | Unset):
        line (int | Unset):
    """

    field: str
    problem: str
    code: str | Unset = UNSET
    column: int | Unset = UNSET
    hint: str | Unset = UNSET
    line: int | Unset = UNSET
    additional_properties: dict[str, Any] = _attrs_field(init=False, factory=dict)

    def to_dict(self) -> dict[str, Any]:
        field = self.field

        problem = self.problem

        code = self.code

        column = self.column

        hint = self.hint

        line = self.line

        field_dict: dict[str, Any] = {}
        field_dict.update(self.additional_properties)
        field_dict.update(
            {
                "field": field,
                "problem": problem,
            }
        )
        if code is not UNSET:
            field_dict["code"] = code
        if column is not UNSET:
            field_dict["column"] = column
        if hint is not UNSET:
            field_dict["hint"] = hint
        if line is not UNSET:
            field_dict["line"] = line

        return field_dict

    @classmethod
    def from_dict(cls: type[T], src_dict: Mapping[str, Any]) -> T:
        d = dict(src_dict)
        field = d.pop("field")

        problem = d.pop("problem")

        code = d.pop("code", UNSET)

        column = d.pop("column", UNSET)

        hint = d.pop("hint", UNSET)

        line = d.pop("line", UNSET)

        field_fault = cls(
            field=field,
            problem=problem,
            code=code,
            column=column,
            hint=hint,
            line=line,
        )

        field_fault.additional_properties = d
        return field_fault

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
