from __future__ import annotations

import datetime
from collections.abc import Mapping
from typing import Any, TypeVar

from attrs import define as _attrs_define
from attrs import field as _attrs_field

from ..models.span_kind import SpanKind
from ..types import UNSET, Unset

T = TypeVar("T", bound="Span")


@_attrs_define
class Span:
    """
    Attributes:
        duration_ms (int):
        event_count (int): With those of the spans in it.
        kind (SpanKind):
        name (str): Of the agent, the step, the tool or the DELEGATE; of a turn its number.
        span_id (str):
        ended_at (datetime.datetime | Unset):
        error (str | Unset): Why a turn did not come to its end, or what failed that it is of.
        parent_span_id (str | Unset):
        started_at (datetime.datetime | Unset):
    """

    duration_ms: int
    event_count: int
    kind: SpanKind
    name: str
    span_id: str
    ended_at: datetime.datetime | Unset = UNSET
    error: str | Unset = UNSET
    parent_span_id: str | Unset = UNSET
    started_at: datetime.datetime | Unset = UNSET
    additional_properties: dict[str, Any] = _attrs_field(init=False, factory=dict)

    def to_dict(self) -> dict[str, Any]:
        duration_ms = self.duration_ms

        event_count = self.event_count

        kind = self.kind.value

        name = self.name

        span_id = self.span_id

        ended_at: str | Unset = UNSET
        if not isinstance(self.ended_at, Unset):
            ended_at = self.ended_at.isoformat()

        error = self.error

        parent_span_id = self.parent_span_id

        started_at: str | Unset = UNSET
        if not isinstance(self.started_at, Unset):
            started_at = self.started_at.isoformat()

        field_dict: dict[str, Any] = {}
        field_dict.update(self.additional_properties)
        field_dict.update(
            {
                "durationMs": duration_ms,
                "eventCount": event_count,
                "kind": kind,
                "name": name,
                "spanId": span_id,
            }
        )
        if ended_at is not UNSET:
            field_dict["endedAt"] = ended_at
        if error is not UNSET:
            field_dict["error"] = error
        if parent_span_id is not UNSET:
            field_dict["parentSpanId"] = parent_span_id
        if started_at is not UNSET:
            field_dict["startedAt"] = started_at

        return field_dict

    @classmethod
    def from_dict(cls: type[T], src_dict: Mapping[str, Any]) -> T:
        d = dict(src_dict)
        duration_ms = d.pop("durationMs")

        event_count = d.pop("eventCount")

        kind = SpanKind(d.pop("kind"))

        name = d.pop("name")

        span_id = d.pop("spanId")

        _ended_at = d.pop("endedAt", UNSET)
        ended_at: datetime.datetime | Unset
        if isinstance(_ended_at, Unset):
            ended_at = UNSET
        else:
            ended_at = datetime.datetime.fromisoformat(_ended_at)

        error = d.pop("error", UNSET)

        parent_span_id = d.pop("parentSpanId", UNSET)

        _started_at = d.pop("startedAt", UNSET)
        started_at: datetime.datetime | Unset
        if isinstance(_started_at, Unset):
            started_at = UNSET
        else:
            started_at = datetime.datetime.fromisoformat(_started_at)

        span = cls(
            duration_ms=duration_ms,
            event_count=event_count,
            kind=kind,
            name=name,
            span_id=span_id,
            ended_at=ended_at,
            error=error,
            parent_span_id=parent_span_id,
            started_at=started_at,
        )

        span.additional_properties = d
        return span

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
