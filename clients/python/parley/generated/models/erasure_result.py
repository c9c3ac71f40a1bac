from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, TypeVar

from attrs import define as _attrs_define
from attrs import field as _attrs_field

if TYPE_CHECKING:
    from ..models.erasure import Erasure


T = TypeVar("T", bound="ErasureResult")


@_attrs_define
class ErasureResult:
    """
    Attributes:
        erasure (Erasure):
        success (bool):
    """

    erasure: Erasure
    success: bool
    additional_properties: dict[str, Any] = _attrs_field(init=False, factory=dict)

    def to_dict(self) -> dict[str, Any]:
        erasure = self.erasure.to_dict()

        success = self.success

        field_dict: dict[str, Any] = {}
        field_dict.update(self.additional_properties)
        field_dict.update(
            {
                "erasure": erasure,
                "success": success,
            }
        )

        return field_dict

    @classmethod
    def from_dict(cls: type[T], src_dict: Mapping[str, Any]) -> T:
        from ..models.erasure import Erasure  # noqa: PLC0415

        d = dict(src_dict)
        erasure = Erasure.from_dict(d.pop("erasure"))

        success = d.pop("success")

        erasure_result = cls(
            erasure=erasure,
            success=success,
        )

        erasure_result.additional_properties = d
        return erasure_result

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
