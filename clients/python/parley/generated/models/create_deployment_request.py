from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, TypeVar

from attrs import define as _attrs_define
from attrs import field as _attrs_field

from ..models.create_deployment_request_environment import (
    CreateDeploymentRequestEnvironment,
)
from ..types import UNSET, Unset

if TYPE_CHECKING:
    from ..models.create_deployment_request_model_overrides import (
        CreateDeploymentRequestModelOverrides,
    )
    from ..models.create_deployment_request_workflow_version_manifest import (
        CreateDeploymentRequestWorkflowVersionManifest,
    )


T = TypeVar("T", bound="CreateDeploymentRequest")


@_attrs_define
class CreateDeploymentRequest:
    """
    Attributes:
        agent_version_manifest (Any): Versions by agent, each a text such as "3", or auto: the working copy is saved as
            a version. auto alone stands for all agents that the entry agent can reach.
        entry_agent_name (str):
        environment (CreateDeploymentRequestEnvironment):
        description (str | Unset):
        label (str | Unset):
        model_overrides (CreateDeploymentRequestModelOverrides | Unset): By agent of the manifest, each an object of at
            most 4 KiB that says what holds in place of its MODEL: tier or modelId, fallbackTier, extractTier, temperature,
            maxTokens. Other members are kept, and say nothing.
        settings_version_id (str | Unset): A version of the project's settings (get-project-settings) that holds in its
            sessions; left out: the newest at each moment.
        workflow_version_manifest (CreateDeploymentRequestWorkflowVersionManifest | Unset): Versions by the names of
            workflows, each a text such as "3". Its sessions run that version, whatever is live, and however the workflow is
            called later.
    """

    agent_version_manifest: Any
    entry_agent_name: str
    environment: CreateDeploymentRequestEnvironment
    description: str | Unset = UNSET
    label: str | Unset = UNSET
    model_overrides: CreateDeploymentRequestModelOverrides | Unset = UNSET
    settings_version_id: str | Unset = UNSET
    workflow_version_manifest: (
        CreateDeploymentRequestWorkflowVersionManifest | Unset
    ) = UNSET
    additional_properties: dict[str, Any] = _attrs_field(init=False, factory=dict)

    def to_dict(self) -> dict[str, Any]:
        agent_version_manifest = self.agent_version_manifest

        entry_agent_name = self.entry_agent_name

        environment = self.environment.value

        description = self.description

        label = self.label

        model_overrides: dict[str, Any] | Unset = UNSET
        if not isinstance(self.model_overrides, Unset):
            model_overrides = self.model_overrides.to_dict()

        settings_version_id = self.settings_version_id

        workflow_version_manifest: dict[str, Any] | Unset = UNSET
        if not isinstance(self.workflow_version_manifest, Unset):
            workflow_version_manifest = self.workflow_version_manifest.to_dict()

        field_dict: dict[str, Any] = {}
        field_dict.update(self.additional_properties)
        field_dict.update(
            {
                "agentVersionManifest": agent_version_manifest,
                "entryAgentName": entry_agent_name,
                "environment": environment,
            }
        )
        if description is not UNSET:
            field_dict["description"] = description
        if label is not UNSET:
            field_dict["label"] = label
        if model_overrides is not UNSET:
            field_dict["modelOverrides"] = model_overrides
        if settings_version_id is not UNSET:
            field_dict["settingsVersionId"] = settings_version_id
        if workflow_version_manifest is not UNSET:
            field_dict["workflowVersionManifest"] = workflow_version_manifest

        return field_dict

    @classmethod
    def from_dict(cls: type[T], src_dict: Mapping[str, Any]) -> T:
        from ..models.create_deployment_request_model_overrides import (
            CreateDeploymentRequestModelOverrides,  # noqa: PLC0415
        )
        from ..models.create_deployment_request_workflow_version_manifest import (
            CreateDeploymentRequestWorkflowVersionManifest,  # noqa: PLC0415
        )

        d = dict(src_dict)
        agent_version_manifest = d.pop("agentVersionManifest")

        entry_agent_name = d.pop("entryAgentName")

        environment = CreateDeploymentRequestEnvironment(d.pop("environment"))

        description = d.pop("description", UNSET)

        label = d.pop("label", UNSET)

        _model_overrides = d.pop("modelOverrides", UNSET)
        model_overrides: CreateDeploymentRequestModelOverrides | Unset
        if isinstance(_model_overrides, Unset):
            model_overrides = UNSET
        else:
            model_overrides = CreateDeploymentRequestModelOverrides.from_dict(
                _model_overrides
            )

        settings_version_id = d.pop("settingsVersionId", UNSET)

        _workflow_version_manifest = d.pop("workflowVersionManifest", UNSET)
        workflow_version_manifest: (
            CreateDeploymentRequestWorkflowVersionManifest | Unset
        )
        if isinstance(_workflow_version_manifest, Unset):
            workflow_version_manifest = UNSET
        else:
            workflow_version_manifest = (
                CreateDeploymentRequestWorkflowVersionManifest.from_dict(
                    _workflow_version_manifest
                )
            )

        create_deployment_request = cls(
            agent_version_manifest=agent_version_manifest,
            entry_agent_name=entry_agent_name,
            environment=environment,
            description=description,
            label=label,
            model_overrides=model_overrides,
            settings_version_id=settings_version_id,
            workflow_version_manifest=workflow_version_manifest,
        )

        create_deployment_request.additional_properties = d
        return create_deployment_request

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
