from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, TypeVar

from attrs import define as _attrs_define
from attrs import field as _attrs_field

if TYPE_CHECKING:
    from ..models.pagination import Pagination
    from ..models.project_settings import ProjectSettings


T = TypeVar("T", bound="VersionsResult")


@_attrs_define
class VersionsResult:
    """
    Attributes:
        pagination (Pagination):
        success (bool):
        versions (list[ProjectSettings]):
    """

    pagination: Pagination
    success: bool
    versions: list[ProjectSettings]
    additional_properties: dict[str, Any] = _attrs_field(init=False, factory=dict)

    def to_dict(self) -> dict[str, Any]:
        pagination = self.pagination.to_dict()

        success = self.success

        versions = []
        for versions_item_data in self.versions:
            versions_item = versions_item_data.to_dict()
            versions.append(versions_item)

        field_dict: dict[str, Any] = {}
        field_dict.update(self.additional_properties)
        field_dict.update(
            {
                "pagination": pagination,
                "success": success,
                "versions": versions,
            }
        )

        return field_dict

    @classmethod
    def from_dict(cls: type[T], src_dict: Mapping[str, Any]) -> T:
        from ..models.pagination import Pagination  # noqa: PLC0415
        from ..models.project_settings import ProjectSettings  # noqa: PLC0415

        d = dict(src_dict)
        pagination = Pagination.from_dict(d.pop("pagination"))

        success = d.pop("success")

        versions = []
        _versions = d.pop("versions")
        for versions_item_data in _versions:
            versions_item = ProjectSettings.from_dict(versions_item_data)

            versions.append(versions_item)

        versions_result = cls(
            pagination=pagination,
            success=success,
            versions=versions,
        )

        versions_result.additional_properties = d
        return versions_result

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
