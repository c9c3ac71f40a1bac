from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, TypeVar

from attrs import define as _attrs_define
from attrs import field as _attrs_field

if TYPE_CHECKING:
    from ..models.bot_role_of_user import BotRoleOfUser
    from ..models.role_of_user import RoleOfUser


T = TypeVar("T", bound="StaffUser")


@_attrs_define
class StaffUser:
    """
    Attributes:
        account_id (str):
        admin_roles (list[RoleOfUser]):
        bt_roles (list[BotRoleOfUser]):
        can_create_bot (bool):
        is_developer (bool):
        org_user_id (str):
        user_id (str):
        username (str):
    """

    account_id: str
    admin_roles: list[RoleOfUser]
    bt_roles: list[BotRoleOfUser]
    can_create_bot: bool
    is_developer: bool
    org_user_id: str
    user_id: str
    username: str
    additional_properties: dict[str, Any] = _attrs_field(init=False, factory=dict)

    def to_dict(self) -> dict[str, Any]:
        account_id = self.account_id

        admin_roles = []
        for admin_roles_item_data in self.admin_roles:
            admin_roles_item = admin_roles_item_data.to_dict()
            admin_roles.append(admin_roles_item)

        bt_roles = []
        for bt_roles_item_data in self.bt_roles:
            bt_roles_item = bt_roles_item_data.to_dict()
            bt_roles.append(bt_roles_item)

        can_create_bot = self.can_create_bot

        is_developer = self.is_developer

        org_user_id = self.org_user_id

        user_id = self.user_id

        username = self.username

        field_dict: dict[str, Any] = {}
        field_dict.update(self.additional_properties)
        field_dict.update(
            {
                "accountId": account_id,
                "adminRoles": admin_roles,
                "btRoles": bt_roles,
                "canCreateBot": can_create_bot,
                "isDeveloper": is_developer,
                "orgUserId": org_user_id,
                "userId": user_id,
                "username": username,
            }
        )

        return field_dict

    @classmethod
    def from_dict(cls: type[T], src_dict: Mapping[str, Any]) -> T:
        from ..models.bot_role_of_user import BotRoleOfUser  # noqa: PLC0415
        from ..models.role_of_user import RoleOfUser  # noqa: PLC0415

        d = dict(src_dict)
        account_id = d.pop("accountId")

        admin_roles = []
        _admin_roles = d.pop("adminRoles")
        for admin_roles_item_data in _admin_roles:
            admin_roles_item = RoleOfUser.from_dict(admin_roles_item_data)

            admin_roles.append(admin_roles_item)

        bt_roles = []
        _bt_roles = d.pop("btRoles")
        for bt_roles_item_data in _bt_roles:
            bt_roles_item = BotRoleOfUser.from_dict(bt_roles_item_data)

            bt_roles.append(bt_roles_item)

        can_create_bot = d.pop("canCreateBot")

        is_developer = d.pop("isDeveloper")

        org_user_id = d.pop("orgUserId")

        user_id = d.pop("userId")

        username = d.pop("username")

        staff_user = cls(
            account_id=account_id,
            admin_roles=admin_roles,
            bt_roles=bt_roles,
            can_create_bot=can_create_bot,
            is_developer=is_developer,
            org_user_id=org_user_id,
            user_id=user_id,
            username=username,
        )

        staff_user.additional_properties = d
        return staff_user

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
