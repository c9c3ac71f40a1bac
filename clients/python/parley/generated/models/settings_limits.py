from __future__ import annotations

from collections.abc import Mapping
from typing import Any, TypeVar

from attrs import define as _attrs_define
from attrs import field as _attrs_field

from ..types import UNSET, Unset

T = TypeVar("T", bound="SettingsLimits")


@_attrs_define
class SettingsLimits:
    """
    Attributes:
        concurrent_sessions (int | Unset):
        messages_per_minute (int | Unset): Of one session.
    """

    concurrent_sessions: int | Unset = UNSET
    messages_per_minute: int | Unset = UNSET
    additional_properties: dict[str, Any] = _attrs_field(init=False, factory=dict)

    def to_dict(self) -> dict[str, Any]:
        concurrent_sessions = self.concurrent_sessions

        messages_per_minute = self.messages_per_minute

        field_dict: dict[str, Any] = {}
        field_dict.update(self.additional_properties)
        field_dict.update({})
        if concurrent_sessions is not UNSET:
            field_dict["concurrentSessions"] = concurrent_sessions
        if messages_per_minute is not UNSET:
            field_dict["messagesPerMinute"] = messages_per_minute

        return field_dict

    @classmethod
    def from_dict(cls: type[T], src_dict: Mapping[str, Any]) -> T:
        d = dict(src_dict)
        concurrent_sessions = d.pop("concurrentSessions", UNSET)

        messages_per_minute = d.pop("messagesPerMinute", UNSET)

        settings_limits = cls(
            concurrent_sessions=concurrent_sessions,
            messages_per_minute=messages_per_minute,
        )

        settings_limits.additional_properties = d
        return settings_limits

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
