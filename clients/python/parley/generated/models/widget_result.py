from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, TypeVar, cast

from attrs import define as _attrs_define
from attrs import field as _attrs_field

from ..models.widget_result_type import WidgetResultType

if TYPE_CHECKING:
    from ..models.widget_dimension import WidgetDimension
    from ..models.widget_metric import WidgetMetric
    from ..models.widget_result_properties import WidgetResultProperties
    from ..models.widget_rows import WidgetRows
    from ..models.widget_sql_query import WidgetSQLQuery


T = TypeVar("T", bound="WidgetResult")


@_attrs_define
class WidgetResult:
    """
    Attributes:
        field_id (str):
        dimensions (list[WidgetDimension]):
        metrics (list[WidgetMetric]):
        name (str):
        overlay (list[Any]):
        properties (WidgetResultProperties):
        query_response (WidgetRows):
        row (list[Any]):
        sql_query (WidgetSQLQuery):
        type_ (WidgetResultType):
    """

    field_id: str
    dimensions: list[WidgetDimension]
    metrics: list[WidgetMetric]
    name: str
    overlay: list[Any]
    properties: WidgetResultProperties
    query_response: WidgetRows
    row: list[Any]
    sql_query: WidgetSQLQuery
    type_: WidgetResultType
    additional_properties: dict[str, Any] = _attrs_field(init=False, factory=dict)

    def to_dict(self) -> dict[str, Any]:
        field_id = self.field_id

        dimensions = []
        for dimensions_item_data in self.dimensions:
            dimensions_item = dimensions_item_data.to_dict()
            dimensions.append(dimensions_item)

        metrics = []
        for metrics_item_data in self.metrics:
            metrics_item = metrics_item_data.to_dict()
            metrics.append(metrics_item)

        name = self.name

        overlay = self.overlay

        properties = self.properties.to_dict()

        query_response = self.query_response.to_dict()

        row = self.row

        sql_query = self.sql_query.to_dict()

        type_ = self.type_.value

        field_dict: dict[str, Any] = {}
        field_dict.update(self.additional_properties)
        field_dict.update(
            {
                "_id": field_id,
                "dimensions": dimensions,
                "metrics": metrics,
                "name": name,
                "overlay": overlay,
                "properties": properties,
                "queryResponse": query_response,
                "row": row,
                "sqlQuery": sql_query,
                "type": type_,
            }
        )

        return field_dict

    @classmethod
    def from_dict(cls: type[T], src_dict: Mapping[str, Any]) -> T:
        from ..models.widget_dimension import WidgetDimension  # noqa: PLC0415
        from ..models.widget_metric import WidgetMetric  # noqa: PLC0415
        from ..models.widget_result_properties import (
            WidgetResultProperties,  # noqa: PLC0415
        )
        from ..models.widget_rows import WidgetRows  # noqa: PLC0415
        from ..models.widget_sql_query import WidgetSQLQuery  # noqa: PLC0415

        d = dict(src_dict)
        field_id = d.pop("_id")

        dimensions = []
        _dimensions = d.pop("dimensions")
        for dimensions_item_data in _dimensions:
            dimensions_item = WidgetDimension.from_dict(dimensions_item_data)

            dimensions.append(dimensions_item)

        metrics = []
        _metrics = d.pop("metrics")
        for metrics_item_data in _metrics:
            metrics_item = WidgetMetric.from_dict(metrics_item_data)

            metrics.append(metrics_item)

        name = d.pop("name")

        overlay = cast(list[Any], d.pop("overlay"))

        properties = WidgetResultProperties.from_dict(d.pop("properties"))

        query_response = WidgetRows.from_dict(d.pop("queryResponse"))

        row = cast(list[Any], d.pop("row"))

        sql_query = WidgetSQLQuery.from_dict(d.pop("sqlQuery"))

        type_ = WidgetResultType(d.pop("type"))

        widget_result = cls(
            field_id=field_id,
            dimensions=dimensions,
            metrics=metrics,
            name=name,
            overlay=overlay,
            properties=properties,
            query_response=query_response,
            row=row,
            sql_query=sql_query,
            type_=type_,
        )

        widget_result.additional_properties = d
        return widget_result

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
