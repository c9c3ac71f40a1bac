from __future__ import annotations

import datetime
from collections.abc import Mapping
from typing import Any, TypeVar, cast

from attrs import define as _attrs_define
from attrs import field as _attrs_field

from ..models.tool_secret_environment import ToolSecretEnvironment

T = TypeVar("T", bound="ToolSecret")


@_attrs_define
class ToolSecret:
    """
    Attributes:
        created_at (datetime.datetime):
        environment (ToolSecretEnvironment):
        expires_at (datetime.datetime | None): null: never.
        id (str):
        secret_key (str):
        tool_name (str):
        version (int): Raised with each value.
    """

    created_at: datetime.datetime
    environment: ToolSecretEnvironment
    expires_at: datetime.datetime | None
    id: str
    secret_key: str
    tool_name: str
    version: int
    additional_properties: dict[str, Any] = _attrs_field(init=False, factory=dict)

    def to_dict(self) -> dict[str, Any]:
        created_at = self.created_at.isoformat()

        environment = self.environment.value

        expires_at: None | str
        if isinstance(self.expires_at, datetime.datetime):
            expires_at = self.expires_at.isoformat()
        else:
            expires_at = self.expires_at

        id = self.id

        secret_key = self.secret_key

        tool_name = self.tool_name

        version = self.version

        field_dict: dict[str, Any] = {}
        field_dict.update(self.additional_properties)
        field_dict.update(
            {
                "createdAt": created_at,
                "environment": environment,
                "expiresAt": expires_at,
                "id": id,
                "secretKey": secret_key,
                "toolName": tool_name,
                "version": version,
            }
        )

        return field_dict

    @classmethod
    def from_dict(cls: type[T], src_dict: Mapping[str, Any]) -> T:
        d = dict(src_dict)
        created_at = datetime.datetime.fromisoformat(d.pop("createdAt"))

        environment = ToolSecretEnvironment(d.pop("environment"))

        def _parse_expires_at(data: object) -> datetime.datetime | None:
            if data is None:
                return data
            try:
                if not isinstance(data, str):
                    raise TypeError()
                expires_at_type_0 = datetime.datetime.fromisoformat(data)

                return expires_at_type_0
            except (TypeError, ValueError, AttributeError, KeyError):
                pass
            return cast(datetime.datetime | None, data)

        expires_at = _parse_expires_at(d.pop("expiresAt"))

        id = d.pop("id")

        secret_key = d.pop("secretKey")

        tool_name = d.pop("toolName")

        version = d.pop("version")

        tool_secret = cls(
            created_at=created_at,
            environment=environment,
            expires_at=expires_at,
            id=id,
            secret_key=secret_key,
            tool_name=tool_name,
            version=version,
        )

        tool_secret.additional_properties = d
        return tool_secret

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
