from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, TypeVar

from attrs import define as _attrs_define
from attrs import field as _attrs_field

if TYPE_CHECKING:
    from ..models.staff_user import StaffUser


T = TypeVar("T", bound="ListUserRolesResult")


@_attrs_define
class ListUserRolesResult:
    """
    Attributes:
        available_more (bool): There are more behind this page.
        total (int): All users of the account.
        users (list[StaffUser]):
    """

    available_more: bool
    total: int
    users: list[StaffUser]
    additional_properties: dict[str, Any] = _attrs_field(init=False, factory=dict)

    def to_dict(self) -> dict[str, Any]:
        available_more = self.available_more

        total = self.total

        users = []
        for users_item_data in self.users:
            users_item = users_item_data.to_dict()
            users.append(users_item)

        field_dict: dict[str, Any] = {}
        field_dict.update(self.additional_properties)
        field_dict.update(
            {
                "availableMore": available_more,
                "total": total,
                "users": users,
            }
        )

        return field_dict

    @classmethod
    def from_dict(cls: type[T], src_dict: Mapping[str, Any]) -> T:
        from ..models.staff_user import StaffUser  # noqa: PLC0415

        d = dict(src_dict)
        available_more = d.pop("availableMore")

        total = d.pop("total")

        users = []
        _users = d.pop("users")
        for users_item_data in _users:
            users_item = StaffUser.from_dict(users_item_data)

            users.append(users_item)

        list_user_roles_result = cls(
            available_more=available_more,
            total=total,
            users=users,
        )

        list_user_roles_result.additional_properties = d
        return list_user_roles_result

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
