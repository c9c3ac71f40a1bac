from __future__ import annotations

from collections.abc import Mapping
from typing import Any, TypeVar, cast

from attrs import define as _attrs_define
from attrs import field as _attrs_field

T = TypeVar("T", bound="BotRoleOfUser")


@_attrs_define
class BotRoleOfUser:
    """
    Attributes:
        bot_id (str):
        bot_name (str):
        groups (list[str]):
        role_id (str):
        role_name (str):
    """

    bot_id: str
    bot_name: str
    groups: list[str]
    role_id: str
    role_name: str
    additional_properties: dict[str, Any] = _attrs_field(init=False, factory=dict)

    def to_dict(self) -> dict[str, Any]:
        bot_id = self.bot_id

        bot_name = self.bot_name

        groups = self.groups

        role_id = self.role_id

        role_name = self.role_name

        field_dict: dict[str, Any] = {}
        field_dict.update(self.additional_properties)
        field_dict.update(
            {
                "botId": bot_id,
                "botName": bot_name,
                "groups": groups,
                "roleId": role_id,
                "roleName": role_name,
            }
        )

        return field_dict

    @classmethod
    def from_dict(cls: type[T], src_dict: Mapping[str, Any]) -> T:
        d = dict(src_dict)
        bot_id = d.pop("botId")

        bot_name = d.pop("botName")

        groups = cast(list[str], d.pop("groups"))

        role_id = d.pop("roleId")

        role_name = d.pop("roleName")

        bot_role_of_user = cls(
            bot_id=bot_id,
            bot_name=bot_name,
            groups=groups,
            role_id=role_id,
            role_name=role_name,
        )

        bot_role_of_user.additional_properties = d
        return bot_role_of_user

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
