from __future__ import annotations

import datetime
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, TypeVar, cast

from attrs import define as _attrs_define
from attrs import field as _attrs_field

from ..models.connection_shown_environment import ConnectionShownEnvironment
from ..types import UNSET, Unset

if TYPE_CHECKING:
    from ..models.connection_error import ConnectionError_


T = TypeVar("T", bound="ConnectionShown")


@_attrs_define
class ConnectionShown:
    """
    Attributes:
        agent_name (None | str): Who begins; null: the deployment's entry agent.
        channel_type (str):
        created_at (datetime.datetime):
        credential_names (list[str]): Of the credentials that it has, in order.
        deployment_id (None | str): That answers; null: the newest active one at the moment of a message.
        environment (ConnectionShownEnvironment): In which that one is looked for; null: in production, else staging,
            else dev.
        external_identifier (str): What the provider calls it.
        id (str):
        is_active (bool): One that is not takes nothing.
        name (str):
        project_id (str):
        updated_at (datetime.datetime):
        webhook_url (str): Where the provider is to send what people say, or a program: of mail the address, as mailto:.
        last_error (ConnectionError_ | Unset):
    """

    agent_name: None | str
    channel_type: str
    created_at: datetime.datetime
    credential_names: list[str]
    deployment_id: None | str
    environment: ConnectionShownEnvironment
    external_identifier: str
    id: str
    is_active: bool
    name: str
    project_id: str
    updated_at: datetime.datetime
    webhook_url: str
    last_error: ConnectionError_ | Unset = UNSET
    additional_properties: dict[str, Any] = _attrs_field(init=False, factory=dict)

    def to_dict(self) -> dict[str, Any]:
        agent_name: None | str
        agent_name = self.agent_name

        channel_type = self.channel_type

        created_at = self.created_at.isoformat()

        credential_names = self.credential_names

        deployment_id: None | str
        deployment_id = self.deployment_id

        environment = self.environment.value

        external_identifier = self.external_identifier

        id = self.id

        is_active = self.is_active

        name = self.name

        project_id = self.project_id

        updated_at = self.updated_at.isoformat()

        webhook_url = self.webhook_url

        last_error: dict[str, Any] | Unset = UNSET
        if not isinstance(self.last_error, Unset):
            last_error = self.last_error.to_dict()

        field_dict: dict[str, Any] = {}
        field_dict.update(self.additional_properties)
        field_dict.update(
            {
                "agentName": agent_name,
                "channelType": channel_type,
                "createdAt": created_at,
                "credentialNames": credential_names,
                "deploymentId": deployment_id,
                "environment": environment,
                "externalIdentifier": external_identifier,
                "id": id,
                "isActive": is_active,
                "name": name,
                "projectId": project_id,
                "updatedAt": updated_at,
                "webhookUrl": webhook_url,
            }
        )
        if last_error is not UNSET:
            field_dict["lastError"] = last_error

        return field_dict

    @classmethod
    def from_dict(cls: type[T], src_dict: Mapping[str, Any]) -> T:
        from ..models.connection_error import ConnectionError_  # noqa: PLC0415

        d = dict(src_dict)

        def _parse_agent_name(data: object) -> None | str:
            if data is None:
                return data
            return cast(None | str, data)

        agent_name = _parse_agent_name(d.pop("agentName"))

        channel_type = d.pop("channelType")

        created_at = datetime.datetime.fromisoformat(d.pop("createdAt"))

        credential_names = cast(list[str], d.pop("credentialNames"))

        def _parse_deployment_id(data: object) -> None | str:
            if data is None:
                return data
            return cast(None | str, data)

        deployment_id = _parse_deployment_id(d.pop("deploymentId"))

        environment = ConnectionShownEnvironment(d.pop("environment"))

        external_identifier = d.pop("externalIdentifier")

        id = d.pop("id")

        is_active = d.pop("isActive")

        name = d.pop("name")

        project_id = d.pop("projectId")

        updated_at = datetime.datetime.fromisoformat(d.pop("updatedAt"))

        webhook_url = d.pop("webhookUrl")

        _last_error = d.pop("lastError", UNSET)
        last_error: ConnectionError_ | Unset
        if isinstance(_last_error, Unset):
            last_error = UNSET
        else:
            last_error = ConnectionError_.from_dict(_last_error)

        connection_shown = cls(
            agent_name=agent_name,
            channel_type=channel_type,
            created_at=created_at,
            credential_names=credential_names,
            deployment_id=deployment_id,
            environment=environment,
            external_identifier=external_identifier,
            id=id,
            is_active=is_active,
            name=name,
            project_id=project_id,
            updated_at=updated_at,
            webhook_url=webhook_url,
            last_error=last_error,
        )

        connection_shown.additional_properties = d
        return connection_shown

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
