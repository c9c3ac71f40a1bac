from __future__ import annotations

from collections.abc import Mapping
from typing import Any, TypeVar, cast

from attrs import define as _attrs_define
from attrs import field as _attrs_field

from ..types import UNSET, Unset

T = TypeVar("T", bound="SettingsTiers")


@_attrs_define
class SettingsTiers:
    """
    Attributes:
        balanced (list[str] | Unset):
        fast (list[str] | Unset):
        powerful (list[str] | Unset):
    """

    balanced: list[str] | Unset = UNSET
    fast: list[str] | Unset = UNSET
    powerful: list[str] | Unset = UNSET
    additional_properties: dict[str, Any] = _attrs_field(init=False, factory=dict)

    def to_dict(self) -> dict[str, Any]:
        balanced: list[str] | Unset = UNSET
        if not isinstance(self.balanced, Unset):
            balanced = self.balanced

        fast: list[str] | Unset = UNSET
        if not isinstance(self.fast, Unset):
            fast = self.fast

        powerful: list[str] | Unset = UNSET
        if not isinstance(self.powerful, Unset):
            powerful = self.powerful

        field_dict: dict[str, Any] = {}
        field_dict.update(self.additional_properties)
        field_dict.update({})
        if balanced is not UNSET:
            field_dict["balanced"] = balanced
        if fast is not UNSET:
            field_dict["fast"] = fast
        if powerful is not UNSET:
            field_dict["powerful"] = powerful

        return field_dict

    @classmethod
    def from_dict(cls: type[T], src_dict: Mapping[str, Any]) -> T:
        d = dict(src_dict)
        balanced = cast(list[str], d.pop("balanced", UNSET))

        fast = cast(list[str], d.pop("fast", UNSET))

        powerful = cast(list[str], d.pop("powerful", UNSET))

        settings_tiers = cls(
            balanced=balanced,
            fast=fast,
            powerful=powerful,
        )

        settings_tiers.additional_properties = d
        return settings_tiers

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
