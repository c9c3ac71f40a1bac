from __future__ import annotations

from collections.abc import Mapping
from typing import Any, TypeVar

from attrs import define as _attrs_define
from attrs import field as _attrs_field

T = TypeVar("T", bound="TapeOut")


@_attrs_define
class TapeOut:
    """
    Attributes:
        cut_off (bool): It ends before the call did.
        duration_ms (int):
        sha256 (str):
        size_bytes (int):
    """

    cut_off: bool
    duration_ms: int
    sha256: str
    size_bytes: int
    additional_properties: dict[str, Any] = _attrs_field(init=False, factory=dict)

    def to_dict(self) -> dict[str, Any]:
        cut_off = self.cut_off

        duration_ms = self.duration_ms

        sha256 = self.sha256

        size_bytes = self.size_bytes

        field_dict: dict[str, Any] = {}
        field_dict.update(self.additional_properties)
        field_dict.update(
            {
                "cutOff": cut_off,
                "durationMs": duration_ms,
                "sha256": sha256,
                "sizeBytes": size_bytes,
            }
        )

        return field_dict

    @classmethod
    def from_dict(cls: type[T], src_dict: Mapping[str, Any]) -> T:
        d = dict(src_dict)
        cut_off = d.pop("cutOff")

        duration_ms = d.pop("durationMs")

        sha256 = d.pop("sha256")

        size_bytes = d.pop("sizeBytes")

        tape_out = cls(
            cut_off=cut_off,
            duration_ms=duration_ms,
            sha256=sha256,
            size_bytes=size_bytes,
        )

        tape_out.additional_properties = d
        return tape_out

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
