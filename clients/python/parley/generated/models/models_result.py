from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, TypeVar

from attrs import define as _attrs_define
from attrs import field as _attrs_field

from ..models.models_result_object import ModelsResultObject

if TYPE_CHECKING:
    from ..models.open_ai_model import OpenAIModel


T = TypeVar("T", bound="ModelsResult")


@_attrs_define
class ModelsResult:
    """
    Attributes:
        data (list[OpenAIModel]):
        object_ (ModelsResultObject):
    """

    data: list[OpenAIModel]
    object_: ModelsResultObject
    additional_properties: dict[str, Any] = _attrs_field(init=False, factory=dict)

    def to_dict(self) -> dict[str, Any]:
        data = []
        for data_item_data in self.data:
            data_item = data_item_data.to_dict()
            data.append(data_item)

        object_ = self.object_.value

        field_dict: dict[str, Any] = {}
        field_dict.update(self.additional_properties)
        field_dict.update(
            {
                "data": data,
                "object": object_,
            }
        )

        return field_dict

    @classmethod
    def from_dict(cls: type[T], src_dict: Mapping[str, Any]) -> T:
        from ..models.open_ai_model import OpenAIModel  # noqa: PLC0415

        d = dict(src_dict)
        data = []
        _data = d.pop("data")
        for data_item_data in _data:
            data_item = OpenAIModel.from_dict(data_item_data)

            data.append(data_item)

        object_ = ModelsResultObject(d.pop("object"))

        models_result = cls(
            data=data,
            object_=object_,
        )

        models_result.additional_properties = d
        return models_result

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
