from __future__ import annotations

import datetime
from collections.abc import Mapping
from typing import Any, TypeVar

from attrs import define as _attrs_define
from attrs import field as _attrs_field

from ..models.conversation_summary_status import ConversationSummaryStatus
from ..types import UNSET, Unset

T = TypeVar("T", bound="ConversationSummary")


@_attrs_define
class ConversationSummary:
    """
    Attributes:
        language (str):
        locale (str):
        status (ConversationSummaryStatus):
        triggered_at (datetime.datetime):
        type_ (str):
        error (str | Unset): Of the last attempt, while there is no summary.
        finished_at (datetime.datetime | Unset):
        model (str | Unset):
        provider (str | Unset): local: made by rules.
        text (str | Unset):
    """

    language: str
    locale: str
    status: ConversationSummaryStatus
    triggered_at: datetime.datetime
    type_: str
    error: str | Unset = UNSET
    finished_at: datetime.datetime | Unset = UNSET
    model: str | Unset = UNSET
    provider: str | Unset = UNSET
    text: str | Unset = UNSET
    additional_properties: dict[str, Any] = _attrs_field(init=False, factory=dict)

    def to_dict(self) -> dict[str, Any]:
        language = self.language

        locale = self.locale

        status = self.status.value

        triggered_at = self.triggered_at.isoformat()

        type_ = self.type_

        error = self.error

        finished_at: str | Unset = UNSET
        if not isinstance(self.finished_at, Unset):
            finished_at = self.finished_at.isoformat()

        model = self.model

        provider = self.provider

        text = self.text

        field_dict: dict[str, Any] = {}
        field_dict.update(self.additional_properties)
        field_dict.update(
            {
                "language": language,
                "locale": locale,
                "status": status,
                "triggeredAt": triggered_at,
                "type": type_,
            }
        )
        if error is not UNSET:
            field_dict["error"] = error
        if finished_at is not UNSET:
            field_dict["finishedAt"] = finished_at
        if model is not UNSET:
            field_dict["model"] = model
        if provider is not UNSET:
            field_dict["provider"] = provider
        if text is not UNSET:
            field_dict["text"] = text

        return field_dict

    @classmethod
    def from_dict(cls: type[T], src_dict: Mapping[str, Any]) -> T:
        d = dict(src_dict)
        language = d.pop("language")

        locale = d.pop("locale")

        status = ConversationSummaryStatus(d.pop("status"))

        triggered_at = datetime.datetime.fromisoformat(d.pop("triggeredAt"))

        type_ = d.pop("type")

        error = d.pop("error", UNSET)

        _finished_at = d.pop("finishedAt", UNSET)
        finished_at: datetime.datetime | Unset
        if isinstance(_finished_at, Unset):
            finished_at = UNSET
        else:
            finished_at = datetime.datetime.fromisoformat(_finished_at)

        model = d.pop("model", UNSET)

        provider = d.pop("provider", UNSET)

        text = d.pop("text", UNSET)

        conversation_summary = cls(
            language=language,
            locale=locale,
            status=status,
            triggered_at=triggered_at,
            type_=type_,
            error=error,
            finished_at=finished_at,
            model=model,
            provider=provider,
            text=text,
        )

        conversation_summary.additional_properties = d
        return conversation_summary

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
