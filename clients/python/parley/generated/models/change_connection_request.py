from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, TypeVar, cast

from attrs import define as _attrs_define
from attrs import field as _attrs_field

from ..models.change_connection_request_channel_type import (
    ChangeConnectionRequestChannelType,
)
from ..models.change_connection_request_environment import (
    ChangeConnectionRequestEnvironment,
)
from ..types import UNSET, Unset

if TYPE_CHECKING:
    from ..models.change_connection_request_credentials import (
        ChangeConnectionRequestCredentials,
    )


T = TypeVar("T", bound="ChangeConnectionRequest")


@_attrs_define
class ChangeConnectionRequest:
    """
    Attributes:
        agent_name (None | str | Unset):
        channel_type (ChangeConnectionRequestChannelType | Unset): Cannot change.
        credentials (ChangeConnectionRequestCredentials | Unset): Those that change, by name; null takes one away.
        deployment_id (None | str | Unset):
        environment (ChangeConnectionRequestEnvironment | Unset):
        external_identifier (None | str | Unset): Cannot change.
        is_active (bool | Unset):
        name (None | str | Unset): Null: the externalIdentifier.
    """

    agent_name: None | str | Unset = UNSET
    channel_type: ChangeConnectionRequestChannelType | Unset = UNSET
    credentials: ChangeConnectionRequestCredentials | Unset = UNSET
    deployment_id: None | str | Unset = UNSET
    environment: ChangeConnectionRequestEnvironment | Unset = UNSET
    external_identifier: None | str | Unset = UNSET
    is_active: bool | Unset = UNSET
    name: None | str | Unset = UNSET
    additional_properties: dict[str, Any] = _attrs_field(init=False, factory=dict)

    def to_dict(self) -> dict[str, Any]:
        agent_name: None | str | Unset
        if isinstance(self.agent_name, Unset):
            agent_name = UNSET
        else:
            agent_name = self.agent_name

        channel_type: str | Unset = UNSET
        if not isinstance(self.channel_type, Unset):
            channel_type = self.channel_type.value

        credentials: dict[str, Any] | Unset = UNSET
        if not isinstance(self.credentials, Unset):
            credentials = self.credentials.to_dict()

        deployment_id: None | str | Unset
        if isinstance(self.deployment_id, Unset):
            deployment_id = UNSET
        else:
            deployment_id = self.deployment_id

        environment: str | Unset = UNSET
        if not isinstance(self.environment, Unset):
            environment = self.environment.value

        external_identifier: None | str | Unset
        if isinstance(self.external_identifier, Unset):
            external_identifier = UNSET
        else:
            external_identifier = self.external_identifier

        is_active = self.is_active

        name: None | str | Unset
        if isinstance(self.name, Unset):
            name = UNSET
        else:
            name = self.name

        field_dict: dict[str, Any] = {}
        field_dict.update(self.additional_properties)
        field_dict.update({})
        if agent_name is not UNSET:
            field_dict["agentName"] = agent_name
        if channel_type is not UNSET:
            field_dict["channelType"] = channel_type
        if credentials is not UNSET:
            field_dict["credentials"] = credentials
        if deployment_id is not UNSET:
            field_dict["deploymentId"] = deployment_id
        if environment is not UNSET:
            field_dict["environment"] = environment
        if external_identifier is not UNSET:
            field_dict["externalIdentifier"] = external_identifier
        if is_active is not UNSET:
            field_dict["isActive"] = is_active
        if name is not UNSET:
            field_dict["name"] = name

        return field_dict

    @classmethod
    def from_dict(cls: type[T], src_dict: Mapping[str, Any]) -> T:
        from ..models.change_connection_request_credentials import (
            ChangeConnectionRequestCredentials,  # noqa: PLC0415
        )

        d = dict(src_dict)

        def _parse_agent_name(data: object) -> None | str | Unset:
            if data is None:
                return data
            if isinstance(data, Unset):
                return data
            return cast(None | str | Unset, data)

        agent_name = _parse_agent_name(d.pop("agentName", UNSET))

        _channel_type = d.pop("channelType", UNSET)
        channel_type: ChangeConnectionRequestChannelType | Unset
        if isinstance(_channel_type, Unset):
            channel_type = UNSET
        else:
            channel_type = ChangeConnectionRequestChannelType(_channel_type)

        _credentials = d.pop("credentials", UNSET)
        credentials: ChangeConnectionRequestCredentials | Unset
        if isinstance(_credentials, Unset):
            credentials = UNSET
        else:
            credentials = ChangeConnectionRequestCredentials.from_dict(_credentials)

        def _parse_deployment_id(data: object) -> None | str | Unset:
            if data is None:
                return data
            if isinstance(data, Unset):
                return data
            return cast(None | str | Unset, data)

        deployment_id = _parse_deployment_id(d.pop("deploymentId", UNSET))

        _environment = d.pop("environment", UNSET)
        environment: ChangeConnectionRequestEnvironment | Unset
        if isinstance(_environment, Unset):
            environment = UNSET
        else:
            environment = ChangeConnectionRequestEnvironment(_environment)

        def _parse_external_identifier(data: object) -> None | str | Unset:
            if data is None:
                return data
            if isinstance(data, Unset):
                return data
            return cast(None | str | Unset, data)

        external_identifier = _parse_external_identifier(
            d.pop("externalIdentifier", UNSET)
        )

        is_active = d.pop("isActive", UNSET)

        def _parse_name(data: object) -> None | str | Unset:
            if data is None:
                return data
            if isinstance(data, Unset):
                return data
            return cast(None | str | Unset, data)

        name = _parse_name(d.pop("name", UNSET))

        change_connection_request = cls(
            agent_name=agent_name,
            channel_type=channel_type,
            credentials=credentials,
            deployment_id=deployment_id,
            environment=environment,
            external_identifier=external_identifier,
            is_active=is_active,
            name=name,
        )

        change_connection_request.additional_properties = d
        return change_connection_request

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
