from __future__ import annotations

from collections.abc import Mapping
from typing import Any, TypeVar

from attrs import define as _attrs_define
from attrs import field as _attrs_field

from ..models.create_session_request_environment import CreateSessionRequestEnvironment
from ..types import UNSET, Unset

T = TypeVar("T", bound="CreateSessionRequest")


@_attrs_define
class CreateSessionRequest:
    """
    Attributes:
        agent_id (str): Id, name or path of the agent that begins.
        contact_id (str | Unset): Who talks, as link-contact-session says it afterwards (extension). Needs the
            permission contact:write or admin:apply.
        deployment_id (str | Unset): Begins with the agent as it is deployed there, in place of its working copy
            (extension).
        environment (CreateSessionRequestEnvironment | Unset): The same, with the newest active deployment there
            (extension).
        language (str | Unset): In which agents speak (extension).
    """

    agent_id: str
    contact_id: str | Unset = UNSET
    deployment_id: str | Unset = UNSET
    environment: CreateSessionRequestEnvironment | Unset = UNSET
    language: str | Unset = UNSET
    additional_properties: dict[str, Any] = _attrs_field(init=False, factory=dict)

    def to_dict(self) -> dict[str, Any]:
        agent_id = self.agent_id

        contact_id = self.contact_id

        deployment_id = self.deployment_id

        environment: str | Unset = UNSET
        if not isinstance(self.environment, Unset):
            environment = self.environment.value

        language = self.language

        field_dict: dict[str, Any] = {}
        field_dict.update(self.additional_properties)
        field_dict.update(
            {
                "agentId": agent_id,
            }
        )
        if contact_id is not UNSET:
            field_dict["contactId"] = contact_id
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
        agent_id = d.pop("agentId")

        contact_id = d.pop("contactId", UNSET)

        deployment_id = d.pop("deploymentId", UNSET)

        _environment = d.pop("environment", UNSET)
        environment: CreateSessionRequestEnvironment | Unset
        if isinstance(_environment, Unset):
            environment = UNSET
        else:
            environment = CreateSessionRequestEnvironment(_environment)

        language = d.pop("language", UNSET)

        create_session_request = cls(
            agent_id=agent_id,
            contact_id=contact_id,
            deployment_id=deployment_id,
            environment=environment,
            language=language,
        )

        create_session_request.additional_properties = d
        return create_session_request

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
