from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, TypeVar, cast

from attrs import define as _attrs_define
from attrs import field as _attrs_field

from ..models.change_channel_request_channel_type import ChangeChannelRequestChannelType
from ..models.change_channel_request_environment import ChangeChannelRequestEnvironment
from ..types import UNSET, Unset

if TYPE_CHECKING:
    from ..models.change_channel_request_config_type_0 import (
        ChangeChannelRequestConfigType0,
    )


T = TypeVar("T", bound="ChangeChannelRequest")


@_attrs_define
class ChangeChannelRequest:
    """
    Attributes:
        channel_type (ChangeChannelRequestChannelType | Unset):
        config (ChangeChannelRequestConfigType0 | None | Unset): Replaces what was there.
        deployment_id (None | str | Unset):
        environment (ChangeChannelRequestEnvironment | Unset):
        follow_environment (bool | Unset):
        is_active (bool | Unset):
        name (str | Unset):
        public_api_key_id (str | Unset):
    """

    channel_type: ChangeChannelRequestChannelType | Unset = UNSET
    config: ChangeChannelRequestConfigType0 | None | Unset = UNSET
    deployment_id: None | str | Unset = UNSET
    environment: ChangeChannelRequestEnvironment | Unset = UNSET
    follow_environment: bool | Unset = UNSET
    is_active: bool | Unset = UNSET
    name: str | Unset = UNSET
    public_api_key_id: str | Unset = UNSET
    additional_properties: dict[str, Any] = _attrs_field(init=False, factory=dict)

    def to_dict(self) -> dict[str, Any]:
        from ..models.change_channel_request_config_type_0 import (
            ChangeChannelRequestConfigType0,  # noqa: PLC0415
        )

        channel_type: str | Unset = UNSET
        if not isinstance(self.channel_type, Unset):
            channel_type = self.channel_type.value

        config: dict[str, Any] | None | Unset
        if isinstance(self.config, Unset):
            config = UNSET
        elif isinstance(self.config, ChangeChannelRequestConfigType0):
            config = self.config.to_dict()
        else:
            config = self.config

        deployment_id: None | str | Unset
        if isinstance(self.deployment_id, Unset):
            deployment_id = UNSET
        else:
            deployment_id = self.deployment_id

        environment: str | Unset = UNSET
        if not isinstance(self.environment, Unset):
            environment = self.environment.value

        follow_environment = self.follow_environment

        is_active = self.is_active

        name = self.name

        public_api_key_id = self.public_api_key_id

        field_dict: dict[str, Any] = {}
        field_dict.update(self.additional_properties)
        field_dict.update({})
        if channel_type is not UNSET:
            field_dict["channelType"] = channel_type
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
        if name is not UNSET:
            field_dict["name"] = name
        if public_api_key_id is not UNSET:
            field_dict["publicApiKeyId"] = public_api_key_id

        return field_dict

    @classmethod
    def from_dict(cls: type[T], src_dict: Mapping[str, Any]) -> T:
        from ..models.change_channel_request_config_type_0 import (
            ChangeChannelRequestConfigType0,  # noqa: PLC0415
        )

        d = dict(src_dict)
        _channel_type = d.pop("channelType", UNSET)
        channel_type: ChangeChannelRequestChannelType | Unset
        if isinstance(_channel_type, Unset):
            channel_type = UNSET
        else:
            channel_type = ChangeChannelRequestChannelType(_channel_type)

        def _parse_config(
            data: object,
        ) -> ChangeChannelRequestConfigType0 | None | Unset:
            if data is None:
                return data
            if isinstance(data, Unset):
                return data
            try:
                if not isinstance(data, dict):
                    raise TypeError()
                config_type_0 = ChangeChannelRequestConfigType0.from_dict(data)

                return config_type_0
            except (TypeError, ValueError, AttributeError, KeyError):
                pass
            return cast(ChangeChannelRequestConfigType0 | None | Unset, data)

        config = _parse_config(d.pop("config", UNSET))

        def _parse_deployment_id(data: object) -> None | str | Unset:
            if data is None:
                return data
            if isinstance(data, Unset):
                return data
            return cast(None | str | Unset, data)

        deployment_id = _parse_deployment_id(d.pop("deploymentId", UNSET))

        _environment = d.pop("environment", UNSET)
        environment: ChangeChannelRequestEnvironment | Unset
        if isinstance(_environment, Unset):
            environment = UNSET
        else:
            environment = ChangeChannelRequestEnvironment(_environment)

        follow_environment = d.pop("followEnvironment", UNSET)

        is_active = d.pop("isActive", UNSET)

        name = d.pop("name", UNSET)

        public_api_key_id = d.pop("publicApiKeyId", UNSET)

        change_channel_request = cls(
            channel_type=channel_type,
            config=config,
            deployment_id=deployment_id,
            environment=environment,
            follow_environment=follow_environment,
            is_active=is_active,
            name=name,
            public_api_key_id=public_api_key_id,
        )

        change_channel_request.additional_properties = d
        return change_channel_request

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
