from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, TypeVar

from attrs import define as _attrs_define
from attrs import field as _attrs_field

if TYPE_CHECKING:
    from ..models.staff_role import StaffRole


T = TypeVar("T", bound="ListRolesResult")


@_attrs_define
class ListRolesResult:
    """
    Attributes:
        available_more (bool): There are more behind this page.
        roles (list[StaffRole]):
        total (int): All roles of the type.
    """

    available_more: bool
    roles: list[StaffRole]
    total: int
    additional_properties: dict[str, Any] = _attrs_field(init=False, factory=dict)

    def to_dict(self) -> dict[str, Any]:
        available_more = self.available_more

        roles = []
        for roles_item_data in self.roles:
            roles_item = roles_item_data.to_dict()
            roles.append(roles_item)

        total = self.total

        field_dict: dict[str, Any] = {}
        field_dict.update(self.additional_properties)
        field_dict.update(
            {
                "availableMore": available_more,
                "roles": roles,
                "total": total,
            }
        )

        return field_dict

    @classmethod
    def from_dict(cls: type[T], src_dict: Mapping[str, Any]) -> T:
        from ..models.staff_role import StaffRole  # noqa: PLC0415

        d = dict(src_dict)
        available_more = d.pop("availableMore")

        roles = []
        _roles = d.pop("roles")
        for roles_item_data in _roles:
            roles_item = StaffRole.from_dict(roles_item_data)

            roles.append(roles_item)

        total = d.pop("total")

        list_roles_result = cls(
            available_more=available_more,
            roles=roles,
            total=total,
        )

        list_roles_result.additional_properties = d
        return list_roles_result

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
