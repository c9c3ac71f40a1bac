from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, TypeVar

from attrs import define as _attrs_define
from attrs import field as _attrs_field

from ..types import UNSET, Unset

if TYPE_CHECKING:
    from ..models.chat_call_function import ChatCallFunction


T = TypeVar("T", bound="ChatCall")


@_attrs_define
class ChatCall:
    """
    Attributes:
        id (str):
        arguments (str | Unset): A JSON object, as text. Or in function.
        function (ChatCallFunction | Unset):
        name (str | Unset): Or in function.
    """

    id: str
    arguments: str | Unset = UNSET
    function: ChatCallFunction | Unset = UNSET
    name: str | Unset = UNSET
    additional_properties: dict[str, Any] = _attrs_field(init=False, factory=dict)

    def to_dict(self) -> dict[str, Any]:
        id = self.id

        arguments = self.arguments

        function: dict[str, Any] | Unset = UNSET
        if not isinstance(self.function, Unset):
            function = self.function.to_dict()

        name = self.name

        field_dict: dict[str, Any] = {}
        field_dict.update(self.additional_properties)
        field_dict.update(
            {
                "id": id,
            }
        )
        if arguments is not UNSET:
            field_dict["arguments"] = arguments
        if function is not UNSET:
            field_dict["function"] = function
        if name is not UNSET:
            field_dict["name"] = name

        return field_dict

    @classmethod
    def from_dict(cls: type[T], src_dict: Mapping[str, Any]) -> T:
        from ..models.chat_call_function import ChatCallFunction  # noqa: PLC0415

        d = dict(src_dict)
        id = d.pop("id")

        arguments = d.pop("arguments", UNSET)

        _function = d.pop("function", UNSET)
        function: ChatCallFunction | Unset
        if isinstance(_function, Unset):
            function = UNSET
        else:
            function = ChatCallFunction.from_dict(_function)

        name = d.pop("name", UNSET)

        chat_call = cls(
            id=id,
            arguments=arguments,
            function=function,
            name=name,
        )

        chat_call.additional_properties = d
        return chat_call

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
