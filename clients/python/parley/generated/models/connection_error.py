from __future__ import annotations

import datetime
from collections.abc import Mapping
from typing import Any, TypeVar

from attrs import define as _attrs_define
from attrs import field as _attrs_field

from ..models.connection_error_about import ConnectionErrorAbout

T = TypeVar("T", bound="ConnectionError_")


@_attrs_define
class ConnectionError_:
    """
    Attributes:
        about (ConnectionErrorAbout): The provider does not send us what people say, or does not take what is said back;
            or the newest message of a new conversation had nobody who answers it, as nothing is deployed that could.
        at (datetime.datetime):
        code (str): The provider's, or a word of ours.
        message (str):
    """

    about: ConnectionErrorAbout
    at: datetime.datetime
    code: str
    message: str
    additional_properties: dict[str, Any] = _attrs_field(init=False, factory=dict)

    def to_dict(self) -> dict[str, Any]:
        about = self.about.value

        at = self.at.isoformat()

        code = self.code

        message = self.message

        field_dict: dict[str, Any] = {}
        field_dict.update(self.additional_properties)
        field_dict.update(
            {
                "about": about,
                "at": at,
                "code": code,
                "message": message,
            }
        )

        return field_dict

    @classmethod
    def from_dict(cls: type[T], src_dict: Mapping[str, Any]) -> T:
        d = dict(src_dict)
        about = ConnectionErrorAbout(d.pop("about"))

        at = datetime.datetime.fromisoformat(d.pop("at"))

        code = d.pop("code")

        message = d.pop("message")

        connection_error = cls(
            about=about,
            at=at,
            code=code,
            message=message,
        )

        connection_error.additional_properties = d
        return connection_error

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
