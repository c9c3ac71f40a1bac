from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, TypeVar

from attrs import define as _attrs_define
from attrs import field as _attrs_field

if TYPE_CHECKING:
    from ..models.update_scope_request_permissions import UpdateScopeRequestPermissions


T = TypeVar("T", bound="UpdateScopeRequest")


@_attrs_define
class UpdateScopeRequest:
    """
    Attributes:
        permissions (UpdateScopeRequestPermissions): Permission name to YES or NO; names that are not listed keep their
            value.
    """

    permissions: UpdateScopeRequestPermissions
    additional_properties: dict[str, Any] = _attrs_field(init=False, factory=dict)

    def to_dict(self) -> dict[str, Any]:
        permissions = self.permissions.to_dict()

        field_dict: dict[str, Any] = {}
        field_dict.update(self.additional_properties)
        field_dict.update(
            {
                "permissions": permissions,
            }
        )

        return field_dict

    @classmethod
    def from_dict(cls: type[T], src_dict: Mapping[str, Any]) -> T:
        from ..models.update_scope_request_permissions import (
            UpdateScopeRequestPermissions,  # noqa: PLC0415
        )

        d = dict(src_dict)
        permissions = UpdateScopeRequestPermissions.from_dict(d.pop("permissions"))

        update_scope_request = cls(
            permissions=permissions,
        )

        update_scope_request.additional_properties = d
        return update_scope_request

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
