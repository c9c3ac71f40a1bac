from __future__ import annotations

import datetime
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, TypeVar, cast

from attrs import define as _attrs_define
from attrs import field as _attrs_field

from ..models.deployment_detail_environment import DeploymentDetailEnvironment
from ..models.deployment_detail_status import DeploymentDetailStatus
from ..types import UNSET, Unset

if TYPE_CHECKING:
    from ..models.deployment_change import DeploymentChange
    from ..models.deployment_detail_agent_version_manifest import (
        DeploymentDetailAgentVersionManifest,
    )
    from ..models.deployment_detail_model_overrides import (
        DeploymentDetailModelOverrides,
    )
    from ..models.deployment_detail_workflow_version_manifest import (
        DeploymentDetailWorkflowVersionManifest,
    )


T = TypeVar("T", bound="DeploymentDetail")


@_attrs_define
class DeploymentDetail:
    """
    Attributes:
        agent_version_manifest (DeploymentDetailAgentVersionManifest): Versions by agent, never auto.
        changes (list[DeploymentChange]): Against the deployment that was made before it in its environment (extension).
        channel_count (int): Active connections and SDK channels that lead to it now.
        created_at (datetime.datetime):
        created_by (str):
        description (None | str):
        endpoint_slug (str):
        entry_agent_name (str):
        environment (DeploymentDetailEnvironment):
        id (str):
        label (str):
        project_id (str):
        status (DeploymentDetailStatus):
        model_overrides (DeploymentDetailModelOverrides | Unset):
        promoted_from (str | Unset): The deployment that it was promoted from (extension).
        retired_at (datetime.datetime | Unset):
        settings_version_id (str | Unset): The version of the project's settings that holds in its sessions; left out:
            the newest at each moment.
        workflow_version_manifest (DeploymentDetailWorkflowVersionManifest | Unset):
    """

    agent_version_manifest: DeploymentDetailAgentVersionManifest
    changes: list[DeploymentChange]
    channel_count: int
    created_at: datetime.datetime
    created_by: str
    description: None | str
    endpoint_slug: str
    entry_agent_name: str
    environment: DeploymentDetailEnvironment
    id: str
    label: str
    project_id: str
    status: DeploymentDetailStatus
    model_overrides: DeploymentDetailModelOverrides | Unset = UNSET
    promoted_from: str | Unset = UNSET
    retired_at: datetime.datetime | Unset = UNSET
    settings_version_id: str | Unset = UNSET
    workflow_version_manifest: DeploymentDetailWorkflowVersionManifest | Unset = UNSET
    additional_properties: dict[str, Any] = _attrs_field(init=False, factory=dict)

    def to_dict(self) -> dict[str, Any]:
        agent_version_manifest = self.agent_version_manifest.to_dict()

        changes = []
        for changes_item_data in self.changes:
            changes_item = changes_item_data.to_dict()
            changes.append(changes_item)

        channel_count = self.channel_count

        created_at = self.created_at.isoformat()

        created_by = self.created_by

        description: None | str
        description = self.description

        endpoint_slug = self.endpoint_slug

        entry_agent_name = self.entry_agent_name

        environment = self.environment.value

        id = self.id

        label = self.label

        project_id = self.project_id

        status = self.status.value

        model_overrides: dict[str, Any] | Unset = UNSET
        if not isinstance(self.model_overrides, Unset):
            model_overrides = self.model_overrides.to_dict()

        promoted_from = self.promoted_from

        retired_at: str | Unset = UNSET
        if not isinstance(self.retired_at, Unset):
            retired_at = self.retired_at.isoformat()

        settings_version_id = self.settings_version_id

        workflow_version_manifest: dict[str, Any] | Unset = UNSET
        if not isinstance(self.workflow_version_manifest, Unset):
            workflow_version_manifest = self.workflow_version_manifest.to_dict()

        field_dict: dict[str, Any] = {}
        field_dict.update(self.additional_properties)
        field_dict.update(
            {
                "agentVersionManifest": agent_version_manifest,
                "changes": changes,
                "channelCount": channel_count,
                "createdAt": created_at,
                "createdBy": created_by,
                "description": description,
                "endpointSlug": endpoint_slug,
                "entryAgentName": entry_agent_name,
                "environment": environment,
                "id": id,
                "label": label,
                "projectId": project_id,
                "status": status,
            }
        )
        if model_overrides is not UNSET:
            field_dict["modelOverrides"] = model_overrides
        if promoted_from is not UNSET:
            field_dict["promotedFrom"] = promoted_from
        if retired_at is not UNSET:
            field_dict["retiredAt"] = retired_at
        if settings_version_id is not UNSET:
            field_dict["settingsVersionId"] = settings_version_id
        if workflow_version_manifest is not UNSET:
            field_dict["workflowVersionManifest"] = workflow_version_manifest

        return field_dict

    @classmethod
    def from_dict(cls: type[T], src_dict: Mapping[str, Any]) -> T:
        from ..models.deployment_change import DeploymentChange  # noqa: PLC0415
        from ..models.deployment_detail_agent_version_manifest import (
            DeploymentDetailAgentVersionManifest,  # noqa: PLC0415
        )
        from ..models.deployment_detail_model_overrides import (
            DeploymentDetailModelOverrides,  # noqa: PLC0415
        )
        from ..models.deployment_detail_workflow_version_manifest import (
            DeploymentDetailWorkflowVersionManifest,  # noqa: PLC0415
        )

        d = dict(src_dict)
        agent_version_manifest = DeploymentDetailAgentVersionManifest.from_dict(
            d.pop("agentVersionManifest")
        )

        changes = []
        _changes = d.pop("changes")
        for changes_item_data in _changes:
            changes_item = DeploymentChange.from_dict(changes_item_data)

            changes.append(changes_item)

        channel_count = d.pop("channelCount")

        created_at = datetime.datetime.fromisoformat(d.pop("createdAt"))

        created_by = d.pop("createdBy")

        def _parse_description(data: object) -> None | str:
            if data is None:
                return data
            return cast(None | str, data)

        description = _parse_description(d.pop("description"))

        endpoint_slug = d.pop("endpointSlug")

        entry_agent_name = d.pop("entryAgentName")

        environment = DeploymentDetailEnvironment(d.pop("environment"))

        id = d.pop("id")

        label = d.pop("label")

        project_id = d.pop("projectId")

        status = DeploymentDetailStatus(d.pop("status"))

        _model_overrides = d.pop("modelOverrides", UNSET)
        model_overrides: DeploymentDetailModelOverrides | Unset
        if isinstance(_model_overrides, Unset):
            model_overrides = UNSET
        else:
            model_overrides = DeploymentDetailModelOverrides.from_dict(_model_overrides)

        promoted_from = d.pop("promotedFrom", UNSET)

        _retired_at = d.pop("retiredAt", UNSET)
        retired_at: datetime.datetime | Unset
        if isinstance(_retired_at, Unset):
            retired_at = UNSET
        else:
            retired_at = datetime.datetime.fromisoformat(_retired_at)

        settings_version_id = d.pop("settingsVersionId", UNSET)

        _workflow_version_manifest = d.pop("workflowVersionManifest", UNSET)
        workflow_version_manifest: DeploymentDetailWorkflowVersionManifest | Unset
        if isinstance(_workflow_version_manifest, Unset):
            workflow_version_manifest = UNSET
        else:
            workflow_version_manifest = (
                DeploymentDetailWorkflowVersionManifest.from_dict(
                    _workflow_version_manifest
                )
            )

        deployment_detail = cls(
            agent_version_manifest=agent_version_manifest,
            changes=changes,
            channel_count=channel_count,
            created_at=created_at,
            created_by=created_by,
            description=description,
            endpoint_slug=endpoint_slug,
            entry_agent_name=entry_agent_name,
            environment=environment,
            id=id,
            label=label,
            project_id=project_id,
            status=status,
            model_overrides=model_overrides,
            promoted_from=promoted_from,
            retired_at=retired_at,
            settings_version_id=settings_version_id,
            workflow_version_manifest=workflow_version_manifest,
        )

        deployment_detail.additional_properties = d
        return deployment_detail

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
