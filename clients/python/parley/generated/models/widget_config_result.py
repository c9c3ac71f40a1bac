from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, TypeVar

from attrs import define as _attrs_define
from attrs import field as _attrs_field

if TYPE_CHECKING:
    from ..models.widget_config import WidgetConfig
    from ..models.widget_permissions import WidgetPermissions


T = TypeVar("T", bound="WidgetConfigResult")


@_attrs_define
class WidgetConfigResult:
    """
    Attributes:
        config (WidgetConfig):
        permissions (WidgetPermissions):
        project_id (str):
        success (bool):
    """

    config: WidgetConfig
    permissions: WidgetPermissions
    project_id: str
    success: bool
    additional_properties: dict[str, Any] = _attrs_field(init=False, factory=dict)

    def to_dict(self) -> dict[str, Any]:
        config = self.config.to_dict()

        permissions = self.permissions.to_dict()

        project_id = self.project_id

        success = self.success

        field_dict: dict[str, Any] = {}
        field_dict.update(self.additional_properties)
        field_dict.update(
            {
                "config": config,
                "permissions": permissions,
                "projectId": project_id,
                "success": success,
            }
        )

        return field_dict

    @classmethod
    def from_dict(cls: type[T], src_dict: Mapping[str, Any]) -> T:
        from ..models.widget_config import WidgetConfig  # noqa: PLC0415
        from ..models.widget_permissions import WidgetPermissions  # noqa: PLC0415

        d = dict(src_dict)
        config = WidgetConfig.from_dict(d.pop("config"))

        permissions = WidgetPermissions.from_dict(d.pop("permissions"))

        project_id = d.pop("projectId")

        success = d.pop("success")

        widget_config_result = cls(
            config=config,
            permissions=permissions,
            project_id=project_id,
            success=success,
        )

        widget_config_result.additional_properties = d
        return widget_config_result

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
