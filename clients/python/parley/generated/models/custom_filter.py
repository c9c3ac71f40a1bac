from __future__ import annotations

from collections.abc import Mapping
from typing import Any, TypeVar, cast

from attrs import define as _attrs_define
from attrs import field as _attrs_field

T = TypeVar("T", bound="CustomFilter")


@_attrs_define
class CustomFilter:
    """
    Attributes:
        field_name (str): A field of the data set.
        filter_source (str): The widget's data set.
        values (list[Any]): Strings, or numbers for a field of numbers; one of them must match.
    """

    field_name: str
    filter_source: str
    values: list[Any]
    additional_properties: dict[str, Any] = _attrs_field(init=False, factory=dict)

    def to_dict(self) -> dict[str, Any]:
        field_name = self.field_name

        filter_source = self.filter_source

        values = self.values

        field_dict: dict[str, Any] = {}
        field_dict.update(self.additional_properties)
        field_dict.update(
            {
                "fieldName": field_name,
                "filterSource": filter_source,
                "values": values,
            }
        )

        return field_dict

    @classmethod
    def from_dict(cls: type[T], src_dict: Mapping[str, Any]) -> T:
        d = dict(src_dict)
        field_name = d.pop("fieldName")

        filter_source = d.pop("filterSource")

        values = cast(list[Any], d.pop("values"))

        custom_filter = cls(
            field_name=field_name,
            filter_source=filter_source,
            values=values,
        )

        custom_filter.additional_properties = d
        return custom_filter

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
