from __future__ import annotations

from collections.abc import Mapping
from typing import Any, TypeVar

from attrs import define as _attrs_define
from attrs import field as _attrs_field

from ..types import UNSET, Unset

T = TypeVar("T", bound="RtcTokenRequest")


@_attrs_define
class RtcTokenRequest:
    """
    Attributes:
        project_id (str): A project's id or alias.
        session_id (str): A session of the caller's account that has not ended, or what the caller calls a new one.
        agent_name (str | Unset): Of the agent participant that comes into the room; an agent of that name begins a new
            session.
        deployment_id (str | Unset): That answers in a new session; left out: the newest active one.
    """

    project_id: str
    session_id: str
    agent_name: str | Unset = UNSET
    deployment_id: str | Unset = UNSET
    additional_properties: dict[str, Any] = _attrs_field(init=False, factory=dict)

    def to_dict(self) -> dict[str, Any]:
        project_id = self.project_id

        session_id = self.session_id

        agent_name = self.agent_name

        deployment_id = self.deployment_id

        field_dict: dict[str, Any] = {}
        field_dict.update(self.additional_properties)
        field_dict.update(
            {
                "projectId": project_id,
                "sessionId": session_id,
            }
        )
        if agent_name is not UNSET:
            field_dict["agentName"] = agent_name
        if deployment_id is not UNSET:
            field_dict["deploymentId"] = deployment_id

        return field_dict

    @classmethod
    def from_dict(cls: type[T], src_dict: Mapping[str, Any]) -> T:
        d = dict(src_dict)
        project_id = d.pop("projectId")

        session_id = d.pop("sessionId")

        agent_name = d.pop("agentName", UNSET)

        deployment_id = d.pop("deploymentId", UNSET)

        rtc_token_request = cls(
            project_id=project_id,
            session_id=session_id,
            agent_name=agent_name,
            deployment_id=deployment_id,
        )

        rtc_token_request.additional_properties = d
        return rtc_token_request

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
