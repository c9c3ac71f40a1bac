from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, TypeVar

from attrs import define as _attrs_define
from attrs import field as _attrs_field

if TYPE_CHECKING:
    from ..models.revoked_key import RevokedKey


T = TypeVar("T", bound="RevokeKeyResult")


@_attrs_define
class RevokeKeyResult:
    """
    Attributes:
        revoked (RevokedKey):
        success (bool):
    """

    revoked: RevokedKey
    success: bool
    additional_properties: dict[str, Any] = _attrs_field(init=False, factory=dict)

    def to_dict(self) -> dict[str, Any]:
        revoked = self.revoked.to_dict()

        success = self.success

        field_dict: dict[str, Any] = {}
        field_dict.update(self.additional_properties)
        field_dict.update(
            {
                "revoked": revoked,
                "success": success,
            }
        )

        return field_dict

    @classmethod
    def from_dict(cls: type[T], src_dict: Mapping[str, Any]) -> T:
        from ..models.revoked_key import RevokedKey  # noqa: PLC0415

        d = dict(src_dict)
        revoked = RevokedKey.from_dict(d.pop("revoked"))

        success = d.pop("success")

        revoke_key_result = cls(
            revoked=revoked,
            success=success,
        )

        revoke_key_result.additional_properties = d
        return revoke_key_result

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
