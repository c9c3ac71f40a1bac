from __future__ import annotations

from collections.abc import Mapping
from typing import Any, TypeVar

from attrs import define as _attrs_define
from attrs import field as _attrs_field

from ..models.deployment_job_action import DeploymentJobAction
from ..models.deployment_job_job_type import DeploymentJobJobType
from ..models.deployment_job_status import DeploymentJobStatus
from ..types import UNSET, Unset

T = TypeVar("T", bound="DeploymentJob")


@_attrs_define
class DeploymentJob:
    """
    Attributes:
        action (DeploymentJobAction):
        dock_status_id (str): Names the job; ask for its status with it.
        job_type (DeploymentJobJobType):
        status (DeploymentJobStatus):
        reason (str | Unset): Why it failed.
        tool_id (str | Unset): Of a job of type TOOLS.
        workflow_id (str | Unset): Of a job of type WORKFLOWS.
    """

    action: DeploymentJobAction
    dock_status_id: str
    job_type: DeploymentJobJobType
    status: DeploymentJobStatus
    reason: str | Unset = UNSET
    tool_id: str | Unset = UNSET
    workflow_id: str | Unset = UNSET
    additional_properties: dict[str, Any] = _attrs_field(init=False, factory=dict)

    def to_dict(self) -> dict[str, Any]:
        action = self.action.value

        dock_status_id = self.dock_status_id

        job_type = self.job_type.value

        status = self.status.value

        reason = self.reason

        tool_id = self.tool_id

        workflow_id = self.workflow_id

        field_dict: dict[str, Any] = {}
        field_dict.update(self.additional_properties)
        field_dict.update(
            {
                "action": action,
                "dockStatusId": dock_status_id,
                "jobType": job_type,
                "status": status,
            }
        )
        if reason is not UNSET:
            field_dict["reason"] = reason
        if tool_id is not UNSET:
            field_dict["toolId"] = tool_id
        if workflow_id is not UNSET:
            field_dict["workflowId"] = workflow_id

        return field_dict

    @classmethod
    def from_dict(cls: type[T], src_dict: Mapping[str, Any]) -> T:
        d = dict(src_dict)
        action = DeploymentJobAction(d.pop("action"))

        dock_status_id = d.pop("dockStatusId")

        job_type = DeploymentJobJobType(d.pop("jobType"))

        status = DeploymentJobStatus(d.pop("status"))

        reason = d.pop("reason", UNSET)

        tool_id = d.pop("toolId", UNSET)

        workflow_id = d.pop("workflowId", UNSET)

        deployment_job = cls(
            action=action,
            dock_status_id=dock_status_id,
            job_type=job_type,
            status=status,
            reason=reason,
            tool_id=tool_id,
            workflow_id=workflow_id,
        )

        deployment_job.additional_properties = d
        return deployment_job

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
