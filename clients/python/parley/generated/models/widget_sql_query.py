from __future__ import annotations

from collections.abc import Mapping
from typing import Any, TypeVar

from attrs import define as _attrs_define
from attrs import field as _attrs_field

T = TypeVar("T", bound="WidgetSQLQuery")


@_attrs_define
class WidgetSQLQuery:
    """
    Attributes:
        bot_id (str):
        data_set (str):
        end_date (str):
        select (str): What was asked, in names of fields and figures.
        start_date (str):
    """

    bot_id: str
    data_set: str
    end_date: str
    select: str
    start_date: str
    additional_properties: dict[str, Any] = _attrs_field(init=False, factory=dict)

    def to_dict(self) -> dict[str, Any]:
        bot_id = self.bot_id

        data_set = self.data_set

        end_date = self.end_date

        select = self.select

        start_date = self.start_date

        field_dict: dict[str, Any] = {}
        field_dict.update(self.additional_properties)
        field_dict.update(
            {
                "botId": bot_id,
                "dataSet": data_set,
                "endDate": end_date,
                "select": select,
                "startDate": start_date,
            }
        )

        return field_dict

    @classmethod
    def from_dict(cls: type[T], src_dict: Mapping[str, Any]) -> T:
        d = dict(src_dict)
        bot_id = d.pop("botId")

        data_set = d.pop("dataSet")

        end_date = d.pop("endDate")

        select = d.pop("select")

        start_date = d.pop("startDate")

        widget_sql_query = cls(
            bot_id=bot_id,
            data_set=data_set,
            end_date=end_date,
            select=select,
            start_date=start_date,
        )

        widget_sql_query.additional_properties = d
        return widget_sql_query

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
