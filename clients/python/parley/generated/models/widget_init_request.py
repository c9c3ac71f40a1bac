from __future__ import annotations

from collections.abc import Mapping
from typing import Any, TypeVar

from attrs import define as _attrs_define
from attrs import field as _attrs_field

from ..types import UNSET, Unset

T = TypeVar("T", bound="WidgetInitRequest")


@_attrs_define
class WidgetInitRequest:
    """
    Attributes:
        project_id (str): A project's id or alias.
        language (str | Unset): Of a new session (extension).
        session_id (str | Unset): Goes on with a session that a widget or an app has begun; left out: a new one begins.
    """

    project_id: str
    language: str | Unset = UNSET
    session_id: str | Unset = UNSET
    additional_properties: dict[str, Any] = _attrs_field(init=False, factory=dict)

    def to_dict(self) -> dict[str, Any]:
        project_id = self.project_id

        language = self.language

        session_id = self.session_id

        field_dict: dict[str, Any] = {}
        field_dict.update(self.additional_properties)
        field_dict.update(
            {
                "projectId": project_id,
            }
        )
        if language is not UNSET:
            field_dict["language"] = language
        if session_id is not UNSET:
            field_dict["sessionId"] = session_id

        return field_dict

    @classmethod
    def from_dict(cls: type[T], src_dict: Mapping[str, Any]) -> T:
        d = dict(src_dict)
        project_id = d.pop("projectId")

        language = d.pop("language", UNSET)

        session_id = d.pop("sessionId", UNSET)

        widget_init_request = cls(
            project_id=project_id,
            language=language,
            session_id=session_id,
        )

        widget_init_request.additional_properties = d
        return widget_init_request

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
