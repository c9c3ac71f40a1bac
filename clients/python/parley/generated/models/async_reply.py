from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, TypeVar

from attrs import define as _attrs_define
from attrs import field as _attrs_field

if TYPE_CHECKING:
    from ..models.async_choice import AsyncChoice


T = TypeVar("T", bound="AsyncReply")


@_attrs_define
class AsyncReply:
    """
    Attributes:
        choices (list[AsyncChoice]):
        message_id (str): As the transcript of the session has it.
        text (str):
    """

    choices: list[AsyncChoice]
    message_id: str
    text: str
    additional_properties: dict[str, Any] = _attrs_field(init=False, factory=dict)

    def to_dict(self) -> dict[str, Any]:
        choices = []
        for choices_item_data in self.choices:
            choices_item = choices_item_data.to_dict()
            choices.append(choices_item)

        message_id = self.message_id

        text = self.text

        field_dict: dict[str, Any] = {}
        field_dict.update(self.additional_properties)
        field_dict.update(
            {
                "choices": choices,
                "messageId": message_id,
                "text": text,
            }
        )

        return field_dict

    @classmethod
    def from_dict(cls: type[T], src_dict: Mapping[str, Any]) -> T:
        from ..models.async_choice import AsyncChoice  # noqa: PLC0415

        d = dict(src_dict)
        choices = []
        _choices = d.pop("choices")
        for choices_item_data in _choices:
            choices_item = AsyncChoice.from_dict(choices_item_data)

            choices.append(choices_item)

        message_id = d.pop("messageId")

        text = d.pop("text")

        async_reply = cls(
            choices=choices,
            message_id=message_id,
            text=text,
        )

        async_reply.additional_properties = d
        return async_reply

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
