from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, TypeVar

from attrs import define as _attrs_define
from attrs import field as _attrs_field

from ..models.staff_role_role_type import StaffRoleRoleType
from ..types import UNSET, Unset

if TYPE_CHECKING:
    from ..models.staff_role_permissions import StaffRolePermissions


T = TypeVar("T", bound="StaffRole")


@_attrs_define
class StaffRole:
    """
    Attributes:
        permissions (StaffRolePermissions): Permission name to YES for an admin role, to a list of FULL and YES for a
            bot role.
        r_desc (str):
        role (str):
        role_type (StaffRoleRoleType):
        field_id (str | Unset): Of a bot role.
    """

    permissions: StaffRolePermissions
    r_desc: str
    role: str
    role_type: StaffRoleRoleType
    field_id: str | Unset = UNSET
    additional_properties: dict[str, Any] = _attrs_field(init=False, factory=dict)

    def to_dict(self) -> dict[str, Any]:
        permissions = self.permissions.to_dict()

        r_desc = self.r_desc

        role = self.role

        role_type = self.role_type.value

        field_id = self.field_id

        field_dict: dict[str, Any] = {}
        field_dict.update(self.additional_properties)
        field_dict.update(
            {
                "permissions": permissions,
                "rDesc": r_desc,
                "role": role,
                "roleType": role_type,
            }
        )
        if field_id is not UNSET:
            field_dict["_id"] = field_id

        return field_dict

    @classmethod
    def from_dict(cls: type[T], src_dict: Mapping[str, Any]) -> T:
        from ..models.staff_role_permissions import (
            StaffRolePermissions,  # noqa: PLC0415
        )

        d = dict(src_dict)
        permissions = StaffRolePermissions.from_dict(d.pop("permissions"))

        r_desc = d.pop("rDesc")

        role = d.pop("role")

        role_type = StaffRoleRoleType(d.pop("roleType"))

        field_id = d.pop("_id", UNSET)

        staff_role = cls(
            permissions=permissions,
            r_desc=r_desc,
            role=role,
            role_type=role_type,
            field_id=field_id,
        )

        staff_role.additional_properties = d
        return staff_role

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
