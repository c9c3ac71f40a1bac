from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, TypeVar

from attrs import define as _attrs_define
from attrs import field as _attrs_field

from ..models.chat_message_role import ChatMessageRole
from ..types import UNSET, Unset

if TYPE_CHECKING:
    from ..models.chat_call import ChatCall


T = TypeVar("T", bound="ChatMessage")


@_attrs_define
class ChatMessage:
    """
    Attributes:
        role (ChatMessageRole):
        content (Any | Unset): A text, or an array of parts {type: text, text} and, of the user, {type: image_url,
            image_url: {url}}, where url holds the picture: data:image/png;base64,... Only an assistant's with tool_calls
            may be left out or null; it and that of a tool may be empty.
        name (str | Unset):
        tool_call_id (str | Unset): Of a tool's message: the call that it answers.
        tool_calls (list[ChatCall] | Unset): Of an assistant's message.
    """

    role: ChatMessageRole
    content: Any | Unset = UNSET
    name: str | Unset = UNSET
    tool_call_id: str | Unset = UNSET
    tool_calls: list[ChatCall] | Unset = UNSET
    additional_properties: dict[str, Any] = _attrs_field(init=False, factory=dict)

    def to_dict(self) -> dict[str, Any]:
        role = self.role.value

        content = self.content

        name = self.name

        tool_call_id = self.tool_call_id

        tool_calls: list[dict[str, Any]] | Unset = UNSET
        if not isinstance(self.tool_calls, Unset):
            tool_calls = []
            for tool_calls_item_data in self.tool_calls:
                tool_calls_item = tool_calls_item_data.to_dict()
                tool_calls.append(tool_calls_item)

        field_dict: dict[str, Any] = {}
        field_dict.update(self.additional_properties)
        field_dict.update(
            {
                "role": role,
            }
        )
        if content is not UNSET:
            field_dict["content"] = content
        if name is not UNSET:
            field_dict["name"] = name
        if tool_call_id is not UNSET:
            field_dict["tool_call_id"] = tool_call_id
        if tool_calls is not UNSET:
            field_dict["tool_calls"] = tool_calls

        return field_dict

    @classmethod
    def from_dict(cls: type[T], src_dict: Mapping[str, Any]) -> T:
        from ..models.chat_call import ChatCall  # noqa: PLC0415

        d = dict(src_dict)
        role = ChatMessageRole(d.pop("role"))

        content = d.pop("content", UNSET)

        name = d.pop("name", UNSET)

        tool_call_id = d.pop("tool_call_id", UNSET)

        _tool_calls = d.pop("tool_calls", UNSET)
        tool_calls: list[ChatCall] | Unset = UNSET
        if _tool_calls is not UNSET:
            tool_calls = []
            for tool_calls_item_data in _tool_calls:
                tool_calls_item = ChatCall.from_dict(tool_calls_item_data)

                tool_calls.append(tool_calls_item)

        chat_message = cls(
            role=role,
            content=content,
            name=name,
            tool_call_id=tool_call_id,
            tool_calls=tool_calls,
        )

        chat_message.additional_properties = d
        return chat_message

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
