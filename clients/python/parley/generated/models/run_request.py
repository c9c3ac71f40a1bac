from __future__ import annotations

from collections.abc import Mapping
from typing import Any, TypeVar

from attrs import define as _attrs_define
from attrs import field as _attrs_field

from ..models.run_request_environment import RunRequestEnvironment
from ..types import UNSET, Unset

T = TypeVar("T", bound="RunRequest")


@_attrs_define
class RunRequest:
    """
    Attributes:
        deployment_id (str | Unset): Whose agents are played; left out: working copies.
        environment (RunRequestEnvironment | Unset): Or those of the newest active deployment there.
        language (str | Unset): In which agents speak; left out: what bot-language says, else the suite.
    """

    deployment_id: str | Unset = UNSET
    environment: RunRequestEnvironment | Unset = UNSET
    language: str | Unset = UNSET
    additional_properties: dict[str, Any] = _attrs_field(init=False, factory=dict)

    def to_dict(self) -> dict[str, Any]:
        deployment_id = self.deployment_id

        environment: str | Unset = UNSET
        if not isinstance(self.environment, Unset):
            environment = self.environment.value

        language = self.language

        field_dict: dict[str, Any] = {}
        field_dict.update(self.additional_properties)
        field_dict.update({})
        if deployment_id is not UNSET:
            field_dict["deploymentId"] = deployment_id
        if environment is not UNSET:
            field_dict["environment"] = environment
        if language is not UNSET:
            field_dict["language"] = language

        return field_dict

    @classmethod
    def from_dict(cls: type[T], src_dict: Mapping[str, Any]) -> T:
        d = dict(src_dict)
        deployment_id = d.pop("deploymentId", UNSET)

        _environment = d.pop("environment", UNSET)
        environment: RunRequestEnvironment | Unset
        if isinstance(_environment, Unset):
            environment = UNSET
        else:
            environment = RunRequestEnvironment(_environment)

        language = d.pop("language", UNSET)

        run_request = cls(
            deployment_id=deployment_id,
            environment=environment,
            language=language,
        )

        run_request.additional_properties = d
        return run_request

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
