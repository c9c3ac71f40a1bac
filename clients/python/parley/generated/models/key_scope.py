from __future__ import annotations

import datetime
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, TypeVar

from attrs import define as _attrs_define
from attrs import field as _attrs_field

if TYPE_CHECKING:
    from ..models.key_scope_permissions import KeyScopePermissions


T = TypeVar("T", bound="KeyScope")


@_attrs_define
class KeyScope:
    """
    Attributes:
        created_at (datetime.datetime):
        description (str):
        permissions (KeyScopePermissions): Every permission name to YES or NO.
        scope_id (str):
        scope_name (str):
    """

    created_at: datetime.datetime
    description: str
    permissions: KeyScopePermissions
    scope_id: str
    scope_name: str
    additional_properties: dict[str, Any] = _attrs_field(init=False, factory=dict)

    def to_dict(self) -> dict[str, Any]:
        created_at = self.created_at.isoformat()

        description = self.description

        permissions = self.permissions.to_dict()

        scope_id = self.scope_id

        scope_name = self.scope_name

        field_dict: dict[str, Any] = {}
        field_dict.update(self.additional_properties)
        field_dict.update(
            {
                "created_at": created_at,
                "description": description,
                "permissions": permissions,
                "scope_id": scope_id,
                "scope_name": scope_name,
            }
        )

        return field_dict

    @classmethod
    def from_dict(cls: type[T], src_dict: Mapping[str, Any]) -> T:
        from ..models.key_scope_permissions import KeyScopePermissions  # noqa: PLC0415

        d = dict(src_dict)
        created_at = datetime.datetime.fromisoformat(d.pop("created_at"))

        description = d.pop("description")

        permissions = KeyScopePermissions.from_dict(d.pop("permissions"))

        scope_id = d.pop("scope_id")

        scope_name = d.pop("scope_name")

        key_scope = cls(
            created_at=created_at,
            description=description,
            permissions=permissions,
            scope_id=scope_id,
            scope_name=scope_name,
        )

        key_scope.additional_properties = d
        return key_scope

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
