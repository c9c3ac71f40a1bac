from __future__ import annotations

import datetime
from collections.abc import Mapping
from typing import Any, TypeVar

from attrs import define as _attrs_define
from attrs import field as _attrs_field

from ..models.entry_who import EntryWho
from ..types import UNSET, Unset

T = TypeVar("T", bound="Entry")


@_attrs_define
class Entry:
    """
    Attributes:
        at (datetime.datetime):
        kind (str): The event's name on the log.
        detail (str | Unset): More of it, for people.
        text (str | Unset): What was heard, said, or found out. [erased] when the person was erased.
        who (EntryWho | Unset): Whose doing it is.
    """

    at: datetime.datetime
    kind: str
    detail: str | Unset = UNSET
    text: str | Unset = UNSET
    who: EntryWho | Unset = UNSET
    additional_properties: dict[str, Any] = _attrs_field(init=False, factory=dict)

    def to_dict(self) -> dict[str, Any]:
        at = self.at.isoformat()

        kind = self.kind

        detail = self.detail

        text = self.text

        who: str | Unset = UNSET
        if not isinstance(self.who, Unset):
            who = self.who.value

        field_dict: dict[str, Any] = {}
        field_dict.update(self.additional_properties)
        field_dict.update(
            {
                "at": at,
                "kind": kind,
            }
        )
        if detail is not UNSET:
            field_dict["detail"] = detail
        if text is not UNSET:
            field_dict["text"] = text
        if who is not UNSET:
            field_dict["who"] = who

        return field_dict

    @classmethod
    def from_dict(cls: type[T], src_dict: Mapping[str, Any]) -> T:
        d = dict(src_dict)
        at = datetime.datetime.fromisoformat(d.pop("at"))

        kind = d.pop("kind")

        detail = d.pop("detail", UNSET)

        text = d.pop("text", UNSET)

        _who = d.pop("who", UNSET)
        who: EntryWho | Unset
        if isinstance(_who, Unset):
            who = UNSET
        else:
            who = EntryWho(_who)

        entry = cls(
            at=at,
            kind=kind,
            detail=detail,
            text=text,
            who=who,
        )

        entry.additional_properties = d
        return entry

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
