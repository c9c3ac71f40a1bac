from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, TypeVar

from attrs import define as _attrs_define
from attrs import field as _attrs_field

from ..models.chat_element_kind import ChatElementKind
from ..types import UNSET, Unset

if TYPE_CHECKING:
    from ..models.chat_option import ChatOption


T = TypeVar("T", bound="ChatElement")


@_attrs_define
class ChatElement:
    """
    Attributes:
        id (str):
        kind (ChatElementKind):
        input_type (str | Unset):
        label (str | Unset):
        options (list[ChatOption] | Unset):
        required (bool | Unset):
        value (Any | Unset):
    """

    id: str
    kind: ChatElementKind
    input_type: str | Unset = UNSET
    label: str | Unset = UNSET
    options: list[ChatOption] | Unset = UNSET
    required: bool | Unset = UNSET
    value: Any | Unset = UNSET
    additional_properties: dict[str, Any] = _attrs_field(init=False, factory=dict)

    def to_dict(self) -> dict[str, Any]:
        id = self.id

        kind = self.kind.value

        input_type = self.input_type

        label = self.label

        options: list[dict[str, Any]] | Unset = UNSET
        if not isinstance(self.options, Unset):
            options = []
            for options_item_data in self.options:
                options_item = options_item_data.to_dict()
                options.append(options_item)

        required = self.required

        value = self.value

        field_dict: dict[str, Any] = {}
        field_dict.update(self.additional_properties)
        field_dict.update(
            {
                "id": id,
                "kind": kind,
            }
        )
        if input_type is not UNSET:
            field_dict["inputType"] = input_type
        if label is not UNSET:
            field_dict["label"] = label
        if options is not UNSET:
            field_dict["options"] = options
        if required is not UNSET:
            field_dict["required"] = required
        if value is not UNSET:
            field_dict["value"] = value

        return field_dict

    @classmethod
    def from_dict(cls: type[T], src_dict: Mapping[str, Any]) -> T:
        from ..models.chat_option import ChatOption  # noqa: PLC0415

        d = dict(src_dict)
        id = d.pop("id")

        kind = ChatElementKind(d.pop("kind"))

        input_type = d.pop("inputType", UNSET)

        label = d.pop("label", UNSET)

        _options = d.pop("options", UNSET)
        options: list[ChatOption] | Unset = UNSET
        if _options is not UNSET:
            options = []
            for options_item_data in _options:
                options_item = ChatOption.from_dict(options_item_data)

                options.append(options_item)

        required = d.pop("required", UNSET)

        value = d.pop("value", UNSET)

        chat_element = cls(
            id=id,
            kind=kind,
            input_type=input_type,
            label=label,
            options=options,
            required=required,
            value=value,
        )

        chat_element.additional_properties = d
        return chat_element

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
