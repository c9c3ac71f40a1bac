from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, TypeVar

from attrs import define as _attrs_define
from attrs import field as _attrs_field

from ..models.create_channel_request_channel_type import CreateChannelRequestChannelType
from ..models.create_channel_request_environment import CreateChannelRequestEnvironment
from ..types import UNSET, Unset

if TYPE_CHECKING:
    from ..models.create_channel_request_config import CreateChannelRequestConfig


T = TypeVar("T", bound="CreateChannelRequest")


@_attrs_define
class CreateChannelRequest:
    """
    Attributes:
        channel_type (CreateChannelRequestChannelType):
        name (str):
        public_api_key_id (str): The id of a public key of the project.
        config (CreateChannelRequestConfig | Unset): mode, position, theme, welcomeMessage, placeholderText,
            voiceEnabled, chatEnabled: what is left out has a default, what is not known is kept. At most 16 KiB.
        deployment_id (str | Unset): Required where followEnvironment is false.
        environment (CreateChannelRequestEnvironment | Unset): production, unless said; where followEnvironment is
            false, that of the deployment.
        follow_environment (bool | Unset): The newest active deployment of the environment answers. Default: True.
        is_active (bool | Unset): (Extension) Default: True.
    """

    channel_type: CreateChannelRequestChannelType
    name: str
    public_api_key_id: str
    config: CreateChannelRequestConfig | Unset = UNSET
    deployment_id: str | Unset = UNSET
    environment: CreateChannelRequestEnvironment | Unset = UNSET
    follow_environment: bool | Unset = True
    is_active: bool | Unset = True
    additional_properties: dict[str, Any] = _attrs_field(init=False, factory=dict)

    def to_dict(self) -> dict[str, Any]:
        channel_type = self.channel_type.value

        name = self.name

        public_api_key_id = self.public_api_key_id

        config: dict[str, Any] | Unset = UNSET
        if not isinstance(self.config, Unset):
            config = self.config.to_dict()

        deployment_id = self.deployment_id

        environment: str | Unset = UNSET
        if not isinstance(self.environment, Unset):
            environment = self.environment.value

        follow_environment = self.follow_environment

        is_active = self.is_active

        field_dict: dict[str, Any] = {}
        field_dict.update(self.additional_properties)
        field_dict.update(
            {
                "channelType": channel_type,
                "name": name,
                "publicApiKeyId": public_api_key_id,
            }
        )
        if config is not UNSET:
            field_dict["config"] = config
        if deployment_id is not UNSET:
            field_dict["deploymentId"] = deployment_id
        if environment is not UNSET:
            field_dict["environment"] = environment
        if follow_environment is not UNSET:
            field_dict["followEnvironment"] = follow_environment
        if is_active is not UNSET:
            field_dict["isActive"] = is_active

        return field_dict

    @classmethod
    def from_dict(cls: type[T], src_dict: Mapping[str, Any]) -> T:
        from ..models.create_channel_request_config import (
            CreateChannelRequestConfig,  # noqa: PLC0415
        )

        d = dict(src_dict)
        channel_type = CreateChannelRequestChannelType(d.pop("channelType"))

        name = d.pop("name")

        public_api_key_id = d.pop("publicApiKeyId")

        _config = d.pop("config", UNSET)
        config: CreateChannelRequestConfig | Unset
        if isinstance(_config, Unset):
            config = UNSET
        else:
            config = CreateChannelRequestConfig.from_dict(_config)

        deployment_id = d.pop("deploymentId", UNSET)

        _environment = d.pop("environment", UNSET)
        environment: CreateChannelRequestEnvironment | Unset
        if isinstance(_environment, Unset):
            environment = UNSET
        else:
            environment = CreateChannelRequestEnvironment(_environment)

        follow_environment = d.pop("followEnvironment", UNSET)

        is_active = d.pop("isActive", UNSET)

        create_channel_request = cls(
            channel_type=channel_type,
            name=name,
            public_api_key_id=public_api_key_id,
            config=config,
            deployment_id=deployment_id,
            environment=environment,
            follow_environment=follow_environment,
            is_active=is_active,
        )

        create_channel_request.additional_properties = d
        return create_channel_request

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
