from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, TypeVar

from attrs import define as _attrs_define
from attrs import field as _attrs_field

if TYPE_CHECKING:
    from ..models.taken_over import TakenOver


T = TypeVar("T", bound="TakeOverResult")


@_attrs_define
class TakeOverResult:
    """
    Attributes:
        success (bool):
        takeover (TakenOver):
    """

    success: bool
    takeover: TakenOver
    additional_properties: dict[str, Any] = _attrs_field(init=False, factory=dict)

    def to_dict(self) -> dict[str, Any]:
        success = self.success

        takeover = self.takeover.to_dict()

        field_dict: dict[str, Any] = {}
        field_dict.update(self.additional_properties)
        field_dict.update(
            {
                "success": success,
                "takeover": takeover,
            }
        )

        return field_dict

    @classmethod
    def from_dict(cls: type[T], src_dict: Mapping[str, Any]) -> T:
        from ..models.taken_over import TakenOver  # noqa: PLC0415

        d = dict(src_dict)
        success = d.pop("success")

        takeover = TakenOver.from_dict(d.pop("takeover"))

        take_over_result = cls(
            success=success,
            takeover=takeover,
        )

        take_over_result.additional_properties = d
        return take_over_result

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
