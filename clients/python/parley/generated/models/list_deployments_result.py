from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, TypeVar

from attrs import define as _attrs_define
from attrs import field as _attrs_field

if TYPE_CHECKING:
    from ..models.deployment_shown import DeploymentShown
    from ..models.pagination import Pagination


T = TypeVar("T", bound="ListDeploymentsResult")


@_attrs_define
class ListDeploymentsResult:
    """
    Attributes:
        deployments (list[DeploymentShown]):
        pagination (Pagination):
        success (bool):
    """

    deployments: list[DeploymentShown]
    pagination: Pagination
    success: bool
    additional_properties: dict[str, Any] = _attrs_field(init=False, factory=dict)

    def to_dict(self) -> dict[str, Any]:
        deployments = []
        for deployments_item_data in self.deployments:
            deployments_item = deployments_item_data.to_dict()
            deployments.append(deployments_item)

        pagination = self.pagination.to_dict()

        success = self.success

        field_dict: dict[str, Any] = {}
        field_dict.update(self.additional_properties)
        field_dict.update(
            {
                "deployments": deployments,
                "pagination": pagination,
                "success": success,
            }
        )

        return field_dict

    @classmethod
    def from_dict(cls: type[T], src_dict: Mapping[str, Any]) -> T:
        from ..models.deployment_shown import DeploymentShown  # noqa: PLC0415
        from ..models.pagination import Pagination  # noqa: PLC0415

        d = dict(src_dict)
        deployments = []
        _deployments = d.pop("deployments")
        for deployments_item_data in _deployments:
            deployments_item = DeploymentShown.from_dict(deployments_item_data)

            deployments.append(deployments_item)

        pagination = Pagination.from_dict(d.pop("pagination"))

        success = d.pop("success")

        list_deployments_result = cls(
            deployments=deployments,
            pagination=pagination,
            success=success,
        )

        list_deployments_result.additional_properties = d
        return list_deployments_result

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
