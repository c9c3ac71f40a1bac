from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, TypeVar

from attrs import define as _attrs_define
from attrs import field as _attrs_field

from ..models.open_ai_tool_type import OpenAIToolType

if TYPE_CHECKING:
    from ..models.chat_tool import ChatTool


T = TypeVar("T", bound="OpenAITool")


@_attrs_define
class OpenAITool:
    """
    Attributes:
        function (ChatTool):
        type_ (OpenAIToolType):
    """

    function: ChatTool
    type_: OpenAIToolType
    additional_properties: dict[str, Any] = _attrs_field(init=False, factory=dict)

    def to_dict(self) -> dict[str, Any]:
        function = self.function.to_dict()

        type_ = self.type_.value

        field_dict: dict[str, Any] = {}
        field_dict.update(self.additional_properties)
        field_dict.update(
            {
                "function": function,
                "type": type_,
            }
        )

        return field_dict

    @classmethod
    def from_dict(cls: type[T], src_dict: Mapping[str, Any]) -> T:
        from ..models.chat_tool import ChatTool  # noqa: PLC0415

        d = dict(src_dict)
        function = ChatTool.from_dict(d.pop("function"))

        type_ = OpenAIToolType(d.pop("type"))

        open_ai_tool = cls(
            function=function,
            type_=type_,
        )

        open_ai_tool.additional_properties = d
        return open_ai_tool

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
