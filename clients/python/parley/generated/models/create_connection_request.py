from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, TypeVar

from attrs import define as _attrs_define
from attrs import field as _attrs_field

from ..models.create_connection_request_channel_type import (
    CreateConnectionRequestChannelType,
)
from ..models.create_connection_request_environment import (
    CreateConnectionRequestEnvironment,
)
from ..types import UNSET, Unset

if TYPE_CHECKING:
    from ..models.create_connection_request_credentials import (
        CreateConnectionRequestCredentials,
    )


T = TypeVar("T", bound="CreateConnectionRequest")


@_attrs_define
class CreateConnectionRequest:
    """
    Attributes:
        channel_type (CreateConnectionRequestChannelType): The kind of channel.
        external_identifier (str): What the provider's requests call it: a number, a page, a bot's id.
        agent_name (str | Unset): Who begins, in place of the entry agent.
        credentials (CreateConnectionRequestCredentials | Unset): Those of the kind, by name. They are never shown.
        deployment_id (str | Unset): That answers; left out: the newest active one at the moment of a message.
        environment (CreateConnectionRequestEnvironment | Unset): In which that one is looked for; left out: in
            production, else staging, else dev.
        is_active (bool | Unset): One that is not takes nothing. Default: True.
        name (str | Unset): For people; left out: the externalIdentifier.
    """

    channel_type: CreateConnectionRequestChannelType
    external_identifier: str
    agent_name: str | Unset = UNSET
    credentials: CreateConnectionRequestCredentials | Unset = UNSET
    deployment_id: str | Unset = UNSET
    environment: CreateConnectionRequestEnvironment | Unset = UNSET
    is_active: bool | Unset = True
    name: str | Unset = UNSET
    additional_properties: dict[str, Any] = _attrs_field(init=False, factory=dict)

    def to_dict(self) -> dict[str, Any]:
        channel_type = self.channel_type.value

        external_identifier = self.external_identifier

        agent_name = self.agent_name

        credentials: dict[str, Any] | Unset = UNSET
        if not isinstance(self.credentials, Unset):
            credentials = self.credentials.to_dict()

        deployment_id = self.deployment_id

        environment: str | Unset = UNSET
        if not isinstance(self.environment, Unset):
            environment = self.environment.value

        is_active = self.is_active

        name = self.name

        field_dict: dict[str, Any] = {}
        field_dict.update(self.additional_properties)
        field_dict.update(
            {
                "channelType": channel_type,
                "externalIdentifier": external_identifier,
            }
        )
        if agent_name is not UNSET:
            field_dict["agentName"] = agent_name
        if credentials is not UNSET:
            field_dict["credentials"] = credentials
        if deployment_id is not UNSET:
            field_dict["deploymentId"] = deployment_id
        if environment is not UNSET:
            field_dict["environment"] = environment
        if is_active is not UNSET:
            field_dict["isActive"] = is_active
        if name is not UNSET:
            field_dict["name"] = name

        return field_dict

    @classmethod
    def from_dict(cls: type[T], src_dict: Mapping[str, Any]) -> T:
        from ..models.create_connection_request_credentials import (
            CreateConnectionRequestCredentials,  # noqa: PLC0415
        )

        d = dict(src_dict)
        channel_type = CreateConnectionRequestChannelType(d.pop("channelType"))

        external_identifier = d.pop("externalIdentifier")

        agent_name = d.pop("agentName", UNSET)

        _credentials = d.pop("credentials", UNSET)
        credentials: CreateConnectionRequestCredentials | Unset
        if isinstance(_credentials, Unset):
            credentials = UNSET
        else:
            credentials = CreateConnectionRequestCredentials.from_dict(_credentials)

        deployment_id = d.pop("deploymentId", UNSET)

        _environment = d.pop("environment", UNSET)
        environment: CreateConnectionRequestEnvironment | Unset
        if isinstance(_environment, Unset):
            environment = UNSET
        else:
            environment = CreateConnectionRequestEnvironment(_environment)

        is_active = d.pop("isActive", UNSET)

        name = d.pop("name", UNSET)

        create_connection_request = cls(
            channel_type=channel_type,
            external_identifier=external_identifier,
            agent_name=agent_name,
            credentials=credentials,
            deployment_id=deployment_id,
            environment=environment,
            is_active=is_active,
            name=name,
        )

        create_connection_request.additional_properties = d
        return create_connection_request

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
