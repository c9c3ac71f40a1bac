from __future__ import annotations

import datetime
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, TypeVar, cast

from attrs import define as _attrs_define
from attrs import field as _attrs_field

from ..models.channel_shown_channel_type import ChannelShownChannelType
from ..models.channel_shown_environment import ChannelShownEnvironment

if TYPE_CHECKING:
    from ..models.channel_shown_config import ChannelShownConfig


T = TypeVar("T", bound="ChannelShown")


@_attrs_define
class ChannelShown:
    """
    Attributes:
        channel_type (ChannelShownChannelType):
        config (ChannelShownConfig): As it was given; sdk-config adds what it leaves out.
        created_at (datetime.datetime):
        deployment_id (None | str): That answers where followEnvironment is false.
        environment (ChannelShownEnvironment):
        follow_environment (bool): The newest active deployment of the environment answers.
        id (str):
        is_active (bool):
        name (str):
        project_id (str):
        public_api_key_id (str):
        tenant_id (str):
        updated_at (datetime.datetime):
    """

    channel_type: ChannelShownChannelType
    config: ChannelShownConfig
    created_at: datetime.datetime
    deployment_id: None | str
    environment: ChannelShownEnvironment
    follow_environment: bool
    id: str
    is_active: bool
    name: str
    project_id: str
    public_api_key_id: str
    tenant_id: str
    updated_at: datetime.datetime
    additional_properties: dict[str, Any] = _attrs_field(init=False, factory=dict)

    def to_dict(self) -> dict[str, Any]:
        channel_type = self.channel_type.value

        config = self.config.to_dict()

        created_at = self.created_at.isoformat()

        deployment_id: None | str
        deployment_id = self.deployment_id

        environment = self.environment.value

        follow_environment = self.follow_environment

        id = self.id

        is_active = self.is_active

        name = self.name

        project_id = self.project_id

        public_api_key_id = self.public_api_key_id

        tenant_id = self.tenant_id

        updated_at = self.updated_at.isoformat()

        field_dict: dict[str, Any] = {}
        field_dict.update(self.additional_properties)
        field_dict.update(
            {
                "channelType": channel_type,
                "config": config,
                "createdAt": created_at,
                "deploymentId": deployment_id,
                "environment": environment,
                "followEnvironment": follow_environment,
                "id": id,
                "isActive": is_active,
                "name": name,
                "projectId": project_id,
                "publicApiKeyId": public_api_key_id,
                "tenantId": tenant_id,
                "updatedAt": updated_at,
            }
        )

        return field_dict

    @classmethod
    def from_dict(cls: type[T], src_dict: Mapping[str, Any]) -> T:
        from ..models.channel_shown_config import ChannelShownConfig  # noqa: PLC0415

        d = dict(src_dict)
        channel_type = ChannelShownChannelType(d.pop("channelType"))

        config = ChannelShownConfig.from_dict(d.pop("config"))

        created_at = datetime.datetime.fromisoformat(d.pop("createdAt"))

        def _parse_deployment_id(data: object) -> None | str:
            if data is None:
                return data
            return cast(None | str, data)

        deployment_id = _parse_deployment_id(d.pop("deploymentId"))

        environment = ChannelShownEnvironment(d.pop("environment"))

        follow_environment = d.pop("followEnvironment")

        id = d.pop("id")

        is_active = d.pop("isActive")

        name = d.pop("name")

        project_id = d.pop("projectId")

        public_api_key_id = d.pop("publicApiKeyId")

        tenant_id = d.pop("tenantId")

        updated_at = datetime.datetime.fromisoformat(d.pop("updatedAt"))

        channel_shown = cls(
            channel_type=channel_type,
            config=config,
            created_at=created_at,
            deployment_id=deployment_id,
            environment=environment,
            follow_environment=follow_environment,
            id=id,
            is_active=is_active,
            name=name,
            project_id=project_id,
            public_api_key_id=public_api_key_id,
            tenant_id=tenant_id,
            updated_at=updated_at,
        )

        channel_shown.additional_properties = d
        return channel_shown

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
