from __future__ import annotations

import datetime
from collections.abc import Mapping
from typing import Any, TypeVar, cast

from attrs import define as _attrs_define
from attrs import field as _attrs_field

from ..models.create_secret_request_environment import CreateSecretRequestEnvironment
from ..types import UNSET, Unset

T = TypeVar("T", bound="CreateSecretRequest")


@_attrs_define
class CreateSecretRequest:
    """
    Attributes:
        project_id (str): A project's id or alias.
        secret_key (str): What the tool's definition calls it.
        tool_name (str): The tool, as agents name it.
        value (str): Sealed before it is stored; never shown.
        environment (CreateSecretRequestEnvironment | Unset): Deployments of this environment use it. Default:
            CreateSecretRequestEnvironment.DEV.
        expires_at (datetime.datetime | None | Unset): From then on calls that need it fail. Left out or null: never.
    """

    project_id: str
    secret_key: str
    tool_name: str
    value: str
    environment: CreateSecretRequestEnvironment | Unset = (
        CreateSecretRequestEnvironment.DEV
    )
    expires_at: datetime.datetime | None | Unset = UNSET
    additional_properties: dict[str, Any] = _attrs_field(init=False, factory=dict)

    def to_dict(self) -> dict[str, Any]:
        project_id = self.project_id

        secret_key = self.secret_key

        tool_name = self.tool_name

        value = self.value

        environment: str | Unset = UNSET
        if not isinstance(self.environment, Unset):
            environment = self.environment.value

        expires_at: None | str | Unset
        if isinstance(self.expires_at, Unset):
            expires_at = UNSET
        elif isinstance(self.expires_at, datetime.datetime):
            expires_at = self.expires_at.isoformat()
        else:
            expires_at = self.expires_at

        field_dict: dict[str, Any] = {}
        field_dict.update(self.additional_properties)
        field_dict.update(
            {
                "projectId": project_id,
                "secretKey": secret_key,
                "toolName": tool_name,
                "value": value,
            }
        )
        if environment is not UNSET:
            field_dict["environment"] = environment
        if expires_at is not UNSET:
            field_dict["expiresAt"] = expires_at

        return field_dict

    @classmethod
    def from_dict(cls: type[T], src_dict: Mapping[str, Any]) -> T:
        d = dict(src_dict)
        project_id = d.pop("projectId")

        secret_key = d.pop("secretKey")

        tool_name = d.pop("toolName")

        value = d.pop("value")

        _environment = d.pop("environment", UNSET)
        environment: CreateSecretRequestEnvironment | Unset
        if isinstance(_environment, Unset):
            environment = UNSET
        else:
            environment = CreateSecretRequestEnvironment(_environment)

        def _parse_expires_at(data: object) -> datetime.datetime | None | Unset:
            if data is None:
                return data
            if isinstance(data, Unset):
                return data
            try:
                if not isinstance(data, str):
                    raise TypeError()
                expires_at_type_0 = datetime.datetime.fromisoformat(data)

                return expires_at_type_0
            except (TypeError, ValueError, AttributeError, KeyError):
                pass
            return cast(datetime.datetime | None | Unset, data)

        expires_at = _parse_expires_at(d.pop("expiresAt", UNSET))

        create_secret_request = cls(
            project_id=project_id,
            secret_key=secret_key,
            tool_name=tool_name,
            value=value,
            environment=environment,
            expires_at=expires_at,
        )

        create_secret_request.additional_properties = d
        return create_secret_request

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
