from __future__ import annotations

from collections.abc import Mapping
from typing import Any, TypeVar

from attrs import define as _attrs_define
from attrs import field as _attrs_field

from ..models.search_export_feature_feature import SearchExportFeatureFeature
from ..models.search_export_feature_status import SearchExportFeatureStatus

T = TypeVar("T", bound="SearchExportFeature")


@_attrs_define
class SearchExportFeature:
    """
    Attributes:
        feature (SearchExportFeatureFeature):
        status (SearchExportFeatureStatus):
    """

    feature: SearchExportFeatureFeature
    status: SearchExportFeatureStatus
    additional_properties: dict[str, Any] = _attrs_field(init=False, factory=dict)

    def to_dict(self) -> dict[str, Any]:
        feature = self.feature.value

        status = self.status.value

        field_dict: dict[str, Any] = {}
        field_dict.update(self.additional_properties)
        field_dict.update(
            {
                "feature": feature,
                "status": status,
            }
        )

        return field_dict

    @classmethod
    def from_dict(cls: type[T], src_dict: Mapping[str, Any]) -> T:
        d = dict(src_dict)
        feature = SearchExportFeatureFeature(d.pop("feature"))

        status = SearchExportFeatureStatus(d.pop("status"))

        search_export_feature = cls(
            feature=feature,
            status=status,
        )

        search_export_feature.additional_properties = d
        return search_export_feature

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
