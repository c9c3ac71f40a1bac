from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, TypeVar

from attrs import define as _attrs_define
from attrs import field as _attrs_field

if TYPE_CHECKING:
    from ..models.widget_rows_meta_data import WidgetRowsMetaData
    from ..models.widget_rows_query_response_item import WidgetRowsQueryResponseItem


T = TypeVar("T", bound="WidgetRows")


@_attrs_define
class WidgetRows:
    """
    Attributes:
        meta_data (WidgetRowsMetaData): Type of each member of a row: string, number, date or timestamp.
        query_response (list[WidgetRowsQueryResponseItem]): Rows; a value that is not known is null.
    """

    meta_data: WidgetRowsMetaData
    query_response: list[WidgetRowsQueryResponseItem]
    additional_properties: dict[str, Any] = _attrs_field(init=False, factory=dict)

    def to_dict(self) -> dict[str, Any]:
        meta_data = self.meta_data.to_dict()

        query_response = []
        for query_response_item_data in self.query_response:
            query_response_item = query_response_item_data.to_dict()
            query_response.append(query_response_item)

        field_dict: dict[str, Any] = {}
        field_dict.update(self.additional_properties)
        field_dict.update(
            {
                "metaData": meta_data,
                "queryResponse": query_response,
            }
        )

        return field_dict

    @classmethod
    def from_dict(cls: type[T], src_dict: Mapping[str, Any]) -> T:
        from ..models.widget_rows_meta_data import WidgetRowsMetaData  # noqa: PLC0415
        from ..models.widget_rows_query_response_item import (
            WidgetRowsQueryResponseItem,  # noqa: PLC0415
        )

        d = dict(src_dict)
        meta_data = WidgetRowsMetaData.from_dict(d.pop("metaData"))

        query_response = []
        _query_response = d.pop("queryResponse")
        for query_response_item_data in _query_response:
            query_response_item = WidgetRowsQueryResponseItem.from_dict(
                query_response_item_data
            )

            query_response.append(query_response_item)

        widget_rows = cls(
            meta_data=meta_data,
            query_response=query_response,
        )

        widget_rows.additional_properties = d
        return widget_rows

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
