from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, TypeVar

from attrs import define as _attrs_define
from attrs import field as _attrs_field

if TYPE_CHECKING:
    from ..models.kept_for import KeptFor
    from ..models.pagination import Pagination


T = TypeVar("T", bound="ListRetentionResult")


@_attrs_define
class ListRetentionResult:
    """
    Attributes:
        pagination (Pagination):
        retention (list[KeptFor]):
        success (bool):
    """

    pagination: Pagination
    retention: list[KeptFor]
    success: bool
    additional_properties: dict[str, Any] = _attrs_field(init=False, factory=dict)

    def to_dict(self) -> dict[str, Any]:
        pagination = self.pagination.to_dict()

        retention = []
        for retention_item_data in self.retention:
            retention_item = retention_item_data.to_dict()
            retention.append(retention_item)

        success = self.success

        field_dict: dict[str, Any] = {}
        field_dict.update(self.additional_properties)
        field_dict.update(
            {
                "pagination": pagination,
                "retention": retention,
                "success": success,
            }
        )

        return field_dict

    @classmethod
    def from_dict(cls: type[T], src_dict: Mapping[str, Any]) -> T:
        from ..models.kept_for import KeptFor  # noqa: PLC0415
        from ..models.pagination import Pagination  # noqa: PLC0415

        d = dict(src_dict)
        pagination = Pagination.from_dict(d.pop("pagination"))

        retention = []
        _retention = d.pop("retention")
        for retention_item_data in _retention:
            retention_item = KeptFor.from_dict(retention_item_data)

            retention.append(retention_item)

        success = d.pop("success")

        list_retention_result = cls(
            pagination=pagination,
            retention=retention,
            success=success,
        )

        list_retention_result.additional_properties = d
        return list_retention_result

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
