from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, TypeVar, cast

from attrs import define as _attrs_define
from attrs import field as _attrs_field

from ..models.open_ai_assistant_message_role import OpenAIAssistantMessageRole
from ..types import UNSET, Unset

if TYPE_CHECKING:
    from ..models.open_ai_tool_call import OpenAIToolCall


T = TypeVar("T", bound="OpenAIAssistantMessage")


@_attrs_define
class OpenAIAssistantMessage:
    """
    Attributes:
        content (None | str):
        refusal (None | str): Always null.
        role (OpenAIAssistantMessageRole):
        tool_calls (list[OpenAIToolCall] | Unset):
    """

    content: None | str
    refusal: None | str
    role: OpenAIAssistantMessageRole
    tool_calls: list[OpenAIToolCall] | Unset = UNSET
    additional_properties: dict[str, Any] = _attrs_field(init=False, factory=dict)

    def to_dict(self) -> dict[str, Any]:
        content: None | str
        content = self.content

        refusal: None | str
        refusal = self.refusal

        role = self.role.value

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
                "content": content,
                "refusal": refusal,
                "role": role,
            }
        )
        if tool_calls is not UNSET:
            field_dict["tool_calls"] = tool_calls

        return field_dict

    @classmethod
    def from_dict(cls: type[T], src_dict: Mapping[str, Any]) -> T:
        from ..models.open_ai_tool_call import OpenAIToolCall  # noqa: PLC0415

        d = dict(src_dict)

        def _parse_content(data: object) -> None | str:
            if data is None:
                return data
            return cast(None | str, data)

        content = _parse_content(d.pop("content"))

        def _parse_refusal(data: object) -> None | str:
            if data is None:
                return data
            return cast(None | str, data)

        refusal = _parse_refusal(d.pop("refusal"))

        role = OpenAIAssistantMessageRole(d.pop("role"))

        _tool_calls = d.pop("tool_calls", UNSET)
        tool_calls: list[OpenAIToolCall] | Unset = UNSET
        if _tool_calls is not UNSET:
            tool_calls = []
            for tool_calls_item_data in _tool_calls:
                tool_calls_item = OpenAIToolCall.from_dict(tool_calls_item_data)

                tool_calls.append(tool_calls_item)

        open_ai_assistant_message = cls(
            content=content,
            refusal=refusal,
            role=role,
            tool_calls=tool_calls,
        )

        open_ai_assistant_message.additional_properties = d
        return open_ai_assistant_message

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
