from __future__ import annotations

from collections.abc import Mapping
from typing import Any, TypeVar

from attrs import define as _attrs_define

from ..types import UNSET, Unset

T = TypeVar("T", bound="KeptDays")


@_attrs_define
class KeptDays:
    """
    Attributes:
        calls (int | Unset): Calls with their sessions, transfers and notifications, and conversations of channels with
            the last of their sessions, from their end.
        conversations (int | Unset): What was said and noted in conversations, from their end, or from the last event of
            one that nobody ends.
        messages (int | Unset): Text messages, from when they were sent or given up.
        recordings (int | Unset): Voicemails with their transcripts, from when they were recorded.
    """

    calls: int | Unset = UNSET
    conversations: int | Unset = UNSET
    messages: int | Unset = UNSET
    recordings: int | Unset = UNSET

    def to_dict(self) -> dict[str, Any]:
        calls = self.calls

        conversations = self.conversations

        messages = self.messages

        recordings = self.recordings

        field_dict: dict[str, Any] = {}

        field_dict.update({})
        if calls is not UNSET:
            field_dict["calls"] = calls
        if conversations is not UNSET:
            field_dict["conversations"] = conversations
        if messages is not UNSET:
            field_dict["messages"] = messages
        if recordings is not UNSET:
            field_dict["recordings"] = recordings

        return field_dict

    @classmethod
    def from_dict(cls: type[T], src_dict: Mapping[str, Any]) -> T:
        d = dict(src_dict)
        calls = d.pop("calls", UNSET)

        conversations = d.pop("conversations", UNSET)

        messages = d.pop("messages", UNSET)

        recordings = d.pop("recordings", UNSET)

        kept_days = cls(
            calls=calls,
            conversations=conversations,
            messages=messages,
            recordings=recordings,
        )

        return kept_days
