from __future__ import annotations

from collections.abc import Mapping
from typing import Any, TypeVar

from attrs import define as _attrs_define
from attrs import field as _attrs_field

T = TypeVar("T", bound="RtcCapabilitiesResult")


@_attrs_define
class RtcCapabilitiesResult:
    """
    Attributes:
        configured (bool):
        enabled (bool):
        own (bool): Pages call this server itself: rtc-token leads to rtc-connect (extension).
        success (bool):
    """

    configured: bool
    enabled: bool
    own: bool
    success: bool
    additional_properties: dict[str, Any] = _attrs_field(init=False, factory=dict)

    def to_dict(self) -> dict[str, Any]:
        configured = self.configured

        enabled = self.enabled

        own = self.own

        success = self.success

        field_dict: dict[str, Any] = {}
        field_dict.update(self.additional_properties)
        field_dict.update(
            {
                "configured": configured,
                "enabled": enabled,
                "own": own,
                "success": success,
            }
        )

        return field_dict

    @classmethod
    def from_dict(cls: type[T], src_dict: Mapping[str, Any]) -> T:
        d = dict(src_dict)
        configured = d.pop("configured")

        enabled = d.pop("enabled")

        own = d.pop("own")

        success = d.pop("success")

        rtc_capabilities_result = cls(
            configured=configured,
            enabled=enabled,
            own=own,
            success=success,
        )

        rtc_capabilities_result.additional_properties = d
        return rtc_capabilities_result

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
