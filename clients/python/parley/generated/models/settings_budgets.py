from __future__ import annotations

from collections.abc import Mapping
from typing import Any, TypeVar

from attrs import define as _attrs_define
from attrs import field as _attrs_field

from ..types import UNSET, Unset

T = TypeVar("T", bound="SettingsBudgets")


@_attrs_define
class SettingsBudgets:
    """
    Attributes:
        month_usd (float | Unset): Of all that the project asks models in a month of UTC.
        session_usd (float | Unset): Of each session that begins.
    """

    month_usd: float | Unset = UNSET
    session_usd: float | Unset = UNSET
    additional_properties: dict[str, Any] = _attrs_field(init=False, factory=dict)

    def to_dict(self) -> dict[str, Any]:
        month_usd = self.month_usd

        session_usd = self.session_usd

        field_dict: dict[str, Any] = {}
        field_dict.update(self.additional_properties)
        field_dict.update({})
        if month_usd is not UNSET:
            field_dict["monthUsd"] = month_usd
        if session_usd is not UNSET:
            field_dict["sessionUsd"] = session_usd

        return field_dict

    @classmethod
    def from_dict(cls: type[T], src_dict: Mapping[str, Any]) -> T:
        d = dict(src_dict)
        month_usd = d.pop("monthUsd", UNSET)

        session_usd = d.pop("sessionUsd", UNSET)

        settings_budgets = cls(
            month_usd=month_usd,
            session_usd=session_usd,
        )

        settings_budgets.additional_properties = d
        return settings_budgets

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
