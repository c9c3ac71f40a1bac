from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, TypeVar

from attrs import define as _attrs_define
from attrs import field as _attrs_field

from ..models.aggregate_request_group_by_item import AggregateRequestGroupByItem
from ..models.aggregate_request_metrics_item import AggregateRequestMetricsItem
from ..types import UNSET, Unset

if TYPE_CHECKING:
    from ..models.analytics_filter import AnalyticsFilter
    from ..models.time_range import TimeRange


T = TypeVar("T", bound="AggregateRequest")


@_attrs_define
class AggregateRequest:
    """
    Attributes:
        group_by (list[AggregateRequestGroupByItem]):
        metrics (list[AggregateRequestMetricsItem]):
        time_range (TimeRange):
        filters (AnalyticsFilter | Unset):
    """

    group_by: list[AggregateRequestGroupByItem]
    metrics: list[AggregateRequestMetricsItem]
    time_range: TimeRange
    filters: AnalyticsFilter | Unset = UNSET
    additional_properties: dict[str, Any] = _attrs_field(init=False, factory=dict)

    def to_dict(self) -> dict[str, Any]:
        group_by = []
        for group_by_item_data in self.group_by:
            group_by_item = group_by_item_data.value
            group_by.append(group_by_item)

        metrics = []
        for metrics_item_data in self.metrics:
            metrics_item = metrics_item_data.value
            metrics.append(metrics_item)

        time_range = self.time_range.to_dict()

        filters: dict[str, Any] | Unset = UNSET
        if not isinstance(self.filters, Unset):
            filters = self.filters.to_dict()

        field_dict: dict[str, Any] = {}
        field_dict.update(self.additional_properties)
        field_dict.update(
            {
                "groupBy": group_by,
                "metrics": metrics,
                "timeRange": time_range,
            }
        )
        if filters is not UNSET:
            field_dict["filters"] = filters

        return field_dict

    @classmethod
    def from_dict(cls: type[T], src_dict: Mapping[str, Any]) -> T:
        from ..models.analytics_filter import AnalyticsFilter  # noqa: PLC0415
        from ..models.time_range import TimeRange  # noqa: PLC0415

        d = dict(src_dict)
        group_by = []
        _group_by = d.pop("groupBy")
        for group_by_item_data in _group_by:
            group_by_item = AggregateRequestGroupByItem(group_by_item_data)

            group_by.append(group_by_item)

        metrics = []
        _metrics = d.pop("metrics")
        for metrics_item_data in _metrics:
            metrics_item = AggregateRequestMetricsItem(metrics_item_data)

            metrics.append(metrics_item)

        time_range = TimeRange.from_dict(d.pop("timeRange"))

        _filters = d.pop("filters", UNSET)
        filters: AnalyticsFilter | Unset
        if isinstance(_filters, Unset):
            filters = UNSET
        else:
            filters = AnalyticsFilter.from_dict(_filters)

        aggregate_request = cls(
            group_by=group_by,
            metrics=metrics,
            time_range=time_range,
            filters=filters,
        )

        aggregate_request.additional_properties = d
        return aggregate_request

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
