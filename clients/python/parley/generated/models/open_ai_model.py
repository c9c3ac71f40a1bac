from __future__ import annotations

from collections.abc import Mapping
from typing import Any, TypeVar

from attrs import define as _attrs_define
from attrs import field as _attrs_field

from ..models.open_ai_model_object import OpenAIModelObject

T = TypeVar("T", bound="OpenAIModel")


@_attrs_define
class OpenAIModel:
    """
    Attributes:
        created (int): Seconds since 1970; 0: nobody knows.
        id (str):
        object_ (OpenAIModelObject):
        owned_by (str): The provider of a model; of a deployment the id of its project.
    """

    created: int
    id: str
    object_: OpenAIModelObject
    owned_by: str
    additional_properties: dict[str, Any] = _attrs_field(init=False, factory=dict)

    def to_dict(self) -> dict[str, Any]:
        created = self.created

        id = self.id

        object_ = self.object_.value

        owned_by = self.owned_by

        field_dict: dict[str, Any] = {}
        field_dict.update(self.additional_properties)
        field_dict.update(
            {
                "created": created,
                "id": id,
                "object": object_,
                "owned_by": owned_by,
            }
        )

        return field_dict

    @classmethod
    def from_dict(cls: type[T], src_dict: Mapping[str, Any]) -> T:
        d = dict(src_dict)
        created = d.pop("created")

        id = d.pop("id")

        object_ = OpenAIModelObject(d.pop("object"))

        owned_by = d.pop("owned_by")

        open_ai_model = cls(
            created=created,
            id=id,
            object_=object_,
            owned_by=owned_by,
        )

        open_ai_model.additional_properties = d
        return open_ai_model

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
