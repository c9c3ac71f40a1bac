from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, TypeVar

from attrs import define as _attrs_define
from attrs import field as _attrs_field

from ..types import UNSET, Unset

if TYPE_CHECKING:
    from ..models.custom_filter import CustomFilter


T = TypeVar("T", bound="FilterWidgetRequest")


@_attrs_define
class FilterWidgetRequest:
    """
    Attributes:
        custom_filters (list[CustomFilter] | Unset): Only records that pass all of them.
    """

    custom_filters: list[CustomFilter] | Unset = UNSET
    additional_properties: dict[str, Any] = _attrs_field(init=False, factory=dict)

    def to_dict(self) -> dict[str, Any]:
        custom_filters: list[dict[str, Any]] | Unset = UNSET
        if not isinstance(self.custom_filters, Unset):
            custom_filters = []
            for custom_filters_item_data in self.custom_filters:
                custom_filters_item = custom_filters_item_data.to_dict()
                custom_filters.append(custom_filters_item)

        field_dict: dict[str, Any] = {}
        field_dict.update(self.additional_properties)
        field_dict.update({})
        if custom_filters is not UNSET:
            field_dict["customFilters"] = custom_filters

        return field_dict

    @classmethod
    def from_dict(cls: type[T], src_dict: Mapping[str, Any]) -> T:
        from ..models.custom_filter import CustomFilter  # noqa: PLC0415

        d = dict(src_dict)
        _custom_filters = d.pop("customFilters", UNSET)
        custom_filters: list[CustomFilter] | Unset = UNSET
        if _custom_filters is not UNSET:
            custom_filters = []
            for custom_filters_item_data in _custom_filters:
                custom_filters_item = CustomFilter.from_dict(custom_filters_item_data)

                custom_filters.append(custom_filters_item)

        filter_widget_request = cls(
            custom_filters=custom_filters,
        )

        filter_widget_request.additional_properties = d
        return filter_widget_request

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
