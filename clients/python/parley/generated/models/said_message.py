from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, TypeVar

from attrs import define as _attrs_define
from attrs import field as _attrs_field

if TYPE_CHECKING:
    from ..models.chat_element import ChatElement


T = TypeVar("T", bound="SaidMessage")


@_attrs_define
class SaidMessage:
    """
    Attributes:
        agent_name (str):
        id (str):
        rich_content (list[ChatElement]):
        text (str):
    """

    agent_name: str
    id: str
    rich_content: list[ChatElement]
    text: str
    additional_properties: dict[str, Any] = _attrs_field(init=False, factory=dict)

    def to_dict(self) -> dict[str, Any]:
        agent_name = self.agent_name

        id = self.id

        rich_content = []
        for rich_content_item_data in self.rich_content:
            rich_content_item = rich_content_item_data.to_dict()
            rich_content.append(rich_content_item)

        text = self.text

        field_dict: dict[str, Any] = {}
        field_dict.update(self.additional_properties)
        field_dict.update(
            {
                "agentName": agent_name,
                "id": id,
                "richContent": rich_content,
                "text": text,
            }
        )

        return field_dict

    @classmethod
    def from_dict(cls: type[T], src_dict: Mapping[str, Any]) -> T:
        from ..models.chat_element import ChatElement  # noqa: PLC0415

        d = dict(src_dict)
        agent_name = d.pop("agentName")

        id = d.pop("id")

        rich_content = []
        _rich_content = d.pop("richContent")
        for rich_content_item_data in _rich_content:
            rich_content_item = ChatElement.from_dict(rich_content_item_data)

            rich_content.append(rich_content_item)

        text = d.pop("text")

        said_message = cls(
            agent_name=agent_name,
            id=id,
            rich_content=rich_content,
            text=text,
        )

        said_message.additional_properties = d
        return said_message

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
