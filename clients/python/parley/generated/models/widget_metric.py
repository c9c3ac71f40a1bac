from __future__ import annotations

from collections.abc import Mapping
from typing import Any, TypeVar

from attrs import define as _attrs_define
from attrs import field as _attrs_field

from ..models.widget_metric_function import WidgetMetricFunction
from ..models.widget_metric_type import WidgetMetricType

T = TypeVar("T", bound="WidgetMetric")


@_attrs_define
class WidgetMetric:
    """
    Attributes:
        display_name (str):
        field_name (str): The figure's name in a row.
        function (WidgetMetricFunction):
        type_ (WidgetMetricType):
    """

    display_name: str
    field_name: str
    function: WidgetMetricFunction
    type_: WidgetMetricType
    additional_properties: dict[str, Any] = _attrs_field(init=False, factory=dict)

    def to_dict(self) -> dict[str, Any]:
        display_name = self.display_name

        field_name = self.field_name

        function = self.function.value

        type_ = self.type_.value

        field_dict: dict[str, Any] = {}
        field_dict.update(self.additional_properties)
        field_dict.update(
            {
                "displayName": display_name,
                "fieldName": field_name,
                "function": function,
                "type": type_,
            }
        )

        return field_dict

    @classmethod
    def from_dict(cls: type[T], src_dict: Mapping[str, Any]) -> T:
        d = dict(src_dict)
        display_name = d.pop("displayName")

        field_name = d.pop("fieldName")

        function = WidgetMetricFunction(d.pop("function"))

        type_ = WidgetMetricType(d.pop("type"))

        widget_metric = cls(
            display_name=display_name,
            field_name=field_name,
            function=function,
            type_=type_,
        )

        widget_metric.additional_properties = d
        return widget_metric

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
