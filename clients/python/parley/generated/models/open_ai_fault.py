from __future__ import annotations

from collections.abc import Mapping
from typing import Any, TypeVar, cast

from attrs import define as _attrs_define
from attrs import field as _attrs_field

from ..models.open_ai_fault_type import OpenAIFaultType

T = TypeVar("T", bound="OpenAIFault")


@_attrs_define
class OpenAIFault:
    """
    Attributes:
        code (str): As other operations answer it.
        message (str): For people.
        param (None | str): The first member that is wrong; null: it is none in particular.
        type_ (OpenAIFaultType):
    """

    code: str
    message: str
    param: None | str
    type_: OpenAIFaultType
    additional_properties: dict[str, Any] = _attrs_field(init=False, factory=dict)

    def to_dict(self) -> dict[str, Any]:
        code = self.code

        message = self.message

        param: None | str
        param = self.param

        type_ = self.type_.value

        field_dict: dict[str, Any] = {}
        field_dict.update(self.additional_properties)
        field_dict.update(
            {
                "code": code,
                "message": message,
                "param": param,
                "type": type_,
            }
        )

        return field_dict

    @classmethod
    def from_dict(cls: type[T], src_dict: Mapping[str, Any]) -> T:
        d = dict(src_dict)
        code = d.pop("code")

        message = d.pop("message")

        def _parse_param(data: object) -> None | str:
            if data is None:
                return data
            return cast(None | str, data)

        param = _parse_param(d.pop("param"))

        type_ = OpenAIFaultType(d.pop("type"))

        open_ai_fault = cls(
            code=code,
            message=message,
            param=param,
            type_=type_,
        )

        open_ai_fault.additional_properties = d
        return open_ai_fault

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
