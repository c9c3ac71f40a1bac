from __future__ import annotations

import datetime
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, TypeVar, cast

from attrs import define as _attrs_define
from attrs import field as _attrs_field

if TYPE_CHECKING:
    from ..models.agent_detail_active_versions import AgentDetailActiveVersions


T = TypeVar("T", bound="AgentDetail")


@_attrs_define
class AgentDetail:
    """
    Attributes:
        active_versions (AgentDetailActiveVersions): The version that each environment serves, of those that serve the
            agent.
        agent_path (str): Slug of the project and name of the agent.
        created_at (datetime.datetime):
        description (None | str):
        dsl_content (str): The working copy.
        id (str):
        name (str):
        updated_at (datetime.datetime): When the definition or the working copy was changed last.
        version_count (int): Versions that were saved.
    """

    active_versions: AgentDetailActiveVersions
    agent_path: str
    created_at: datetime.datetime
    description: None | str
    dsl_content: str
    id: str
    name: str
    updated_at: datetime.datetime
    version_count: int
    additional_properties: dict[str, Any] = _attrs_field(init=False, factory=dict)

    def to_dict(self) -> dict[str, Any]:
        active_versions = self.active_versions.to_dict()

        agent_path = self.agent_path

        created_at = self.created_at.isoformat()

        description: None | str
        description = self.description

        dsl_content = self.dsl_content

        id = self.id

        name = self.name

        updated_at = self.updated_at.isoformat()

        version_count = self.version_count

        field_dict: dict[str, Any] = {}
        field_dict.update(self.additional_properties)
        field_dict.update(
            {
                "activeVersions": active_versions,
                "agentPath": agent_path,
                "createdAt": created_at,
                "description": description,
                "dslContent": dsl_content,
                "id": id,
                "name": name,
                "updatedAt": updated_at,
                "versionCount": version_count,
            }
        )

        return field_dict

    @classmethod
    def from_dict(cls: type[T], src_dict: Mapping[str, Any]) -> T:
        from ..models.agent_detail_active_versions import (
            AgentDetailActiveVersions,  # noqa: PLC0415
        )

        d = dict(src_dict)
        active_versions = AgentDetailActiveVersions.from_dict(d.pop("activeVersions"))

        agent_path = d.pop("agentPath")

        created_at = datetime.datetime.fromisoformat(d.pop("createdAt"))

        def _parse_description(data: object) -> None | str:
            if data is None:
                return data
            return cast(None | str, data)

        description = _parse_description(d.pop("description"))

        dsl_content = d.pop("dslContent")

        id = d.pop("id")

        name = d.pop("name")

        updated_at = datetime.datetime.fromisoformat(d.pop("updatedAt"))

        version_count = d.pop("versionCount")

        agent_detail = cls(
            active_versions=active_versions,
            agent_path=agent_path,
            created_at=created_at,
            description=description,
            dsl_content=dsl_content,
            id=id,
            name=name,
            updated_at=updated_at,
            version_count=version_count,
        )

        agent_detail.additional_properties = d
        return agent_detail

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
