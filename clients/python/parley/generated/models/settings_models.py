from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, TypeVar

from attrs import define as _attrs_define
from attrs import field as _attrs_field

from ..models.settings_models_default_tier import SettingsModelsDefaultTier
from ..types import UNSET, Unset

if TYPE_CHECKING:
    from ..models.settings_tiers import SettingsTiers


T = TypeVar("T", bound="SettingsModels")


@_attrs_define
class SettingsModels:
    """
    Attributes:
        tiers (SettingsTiers):
        default (str | Unset): A model's id, where a request names neither model nor tier.
        default_tier (SettingsModelsDefaultTier | Unset):
    """

    tiers: SettingsTiers
    default: str | Unset = UNSET
    default_tier: SettingsModelsDefaultTier | Unset = UNSET
    additional_properties: dict[str, Any] = _attrs_field(init=False, factory=dict)

    def to_dict(self) -> dict[str, Any]:
        tiers = self.tiers.to_dict()

        default = self.default

        default_tier: str | Unset = UNSET
        if not isinstance(self.default_tier, Unset):
            default_tier = self.default_tier.value

        field_dict: dict[str, Any] = {}
        field_dict.update(self.additional_properties)
        field_dict.update(
            {
                "tiers": tiers,
            }
        )
        if default is not UNSET:
            field_dict["default"] = default
        if default_tier is not UNSET:
            field_dict["defaultTier"] = default_tier

        return field_dict

    @classmethod
    def from_dict(cls: type[T], src_dict: Mapping[str, Any]) -> T:
        from ..models.settings_tiers import SettingsTiers  # noqa: PLC0415

        d = dict(src_dict)
        tiers = SettingsTiers.from_dict(d.pop("tiers"))

        default = d.pop("default", UNSET)

        _default_tier = d.pop("defaultTier", UNSET)
        default_tier: SettingsModelsDefaultTier | Unset
        if isinstance(_default_tier, Unset):
            default_tier = UNSET
        else:
            default_tier = SettingsModelsDefaultTier(_default_tier)

        settings_models = cls(
            tiers=tiers,
            default=default,
            default_tier=default_tier,
        )

        settings_models.additional_properties = d
        return settings_models

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
