from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, TypeVar

from attrs import define as _attrs_define
from attrs import field as _attrs_field

from ..models.open_ai_completion_object import OpenAICompletionObject
from ..types import UNSET, Unset

if TYPE_CHECKING:
    from ..models.open_ai_choice import OpenAIChoice
    from ..models.open_ai_metadata import OpenAIMetadata
    from ..models.open_ai_usage import OpenAIUsage


T = TypeVar("T", bound="OpenAICompletion")


@_attrs_define
class OpenAICompletion:
    """
    Attributes:
        choices (list[OpenAIChoice]):
        created (int): Seconds since 1970.
        id (str):
        model (str): As the request named it.
        object_ (OpenAICompletionObject):
        usage (OpenAIUsage):
        metadata (OpenAIMetadata | Unset):
    """

    choices: list[OpenAIChoice]
    created: int
    id: str
    model: str
    object_: OpenAICompletionObject
    usage: OpenAIUsage
    metadata: OpenAIMetadata | Unset = UNSET
    additional_properties: dict[str, Any] = _attrs_field(init=False, factory=dict)

    def to_dict(self) -> dict[str, Any]:
        choices = []
        for choices_item_data in self.choices:
            choices_item = choices_item_data.to_dict()
            choices.append(choices_item)

        created = self.created

        id = self.id

        model = self.model

        object_ = self.object_.value

        usage = self.usage.to_dict()

        metadata: dict[str, Any] | Unset = UNSET
        if not isinstance(self.metadata, Unset):
            metadata = self.metadata.to_dict()

        field_dict: dict[str, Any] = {}
        field_dict.update(self.additional_properties)
        field_dict.update(
            {
                "choices": choices,
                "created": created,
                "id": id,
                "model": model,
                "object": object_,
                "usage": usage,
            }
        )
        if metadata is not UNSET:
            field_dict["metadata"] = metadata

        return field_dict

    @classmethod
    def from_dict(cls: type[T], src_dict: Mapping[str, Any]) -> T:
        from ..models.open_ai_choice import OpenAIChoice  # noqa: PLC0415
        from ..models.open_ai_metadata import OpenAIMetadata  # noqa: PLC0415
        from ..models.open_ai_usage import OpenAIUsage  # noqa: PLC0415

        d = dict(src_dict)
        choices = []
        _choices = d.pop("choices")
        for choices_item_data in _choices:
            choices_item = OpenAIChoice.from_dict(choices_item_data)

            choices.append(choices_item)

        created = d.pop("created")

        id = d.pop("id")

        model = d.pop("model")

        object_ = OpenAICompletionObject(d.pop("object"))

        usage = OpenAIUsage.from_dict(d.pop("usage"))

        _metadata = d.pop("metadata", UNSET)
        metadata: OpenAIMetadata | Unset
        if isinstance(_metadata, Unset):
            metadata = UNSET
        else:
            metadata = OpenAIMetadata.from_dict(_metadata)

        open_ai_completion = cls(
            choices=choices,
            created=created,
            id=id,
            model=model,
            object_=object_,
            usage=usage,
            metadata=metadata,
        )

        open_ai_completion.additional_properties = d
        return open_ai_completion

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
