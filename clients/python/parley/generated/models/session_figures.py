from __future__ import annotations

from collections.abc import Mapping
from typing import Any, TypeVar, cast

from attrs import define as _attrs_define
from attrs import field as _attrs_field

T = TypeVar("T", bound="SessionFigures")


@_attrs_define
class SessionFigures:
    """
    Attributes:
        avg_duration_ms (float | None): Of those that ended; null without any.
        avg_messages_per_session (float | None): Messages by sessions opened; null without any.
        ended_sessions (int): Ended in the range.
        error_count (int): Errors of the category session.
        message_count (int): Events of the category message.
        p95_duration_ms (float | None): Of those that ended: the nearest rank, of over a thousand within 0.4 %.
        total_sessions (int): Opened in the range.
    """

    avg_duration_ms: float | None
    avg_messages_per_session: float | None
    ended_sessions: int
    error_count: int
    message_count: int
    p95_duration_ms: float | None
    total_sessions: int
    additional_properties: dict[str, Any] = _attrs_field(init=False, factory=dict)

    def to_dict(self) -> dict[str, Any]:
        avg_duration_ms: float | None
        avg_duration_ms = self.avg_duration_ms

        avg_messages_per_session: float | None
        avg_messages_per_session = self.avg_messages_per_session

        ended_sessions = self.ended_sessions

        error_count = self.error_count

        message_count = self.message_count

        p95_duration_ms: float | None
        p95_duration_ms = self.p95_duration_ms

        total_sessions = self.total_sessions

        field_dict: dict[str, Any] = {}
        field_dict.update(self.additional_properties)
        field_dict.update(
            {
                "avg_duration_ms": avg_duration_ms,
                "avg_messages_per_session": avg_messages_per_session,
                "ended_sessions": ended_sessions,
                "error_count": error_count,
                "message_count": message_count,
                "p95_duration_ms": p95_duration_ms,
                "total_sessions": total_sessions,
            }
        )

        return field_dict

    @classmethod
    def from_dict(cls: type[T], src_dict: Mapping[str, Any]) -> T:
        d = dict(src_dict)

        def _parse_avg_duration_ms(data: object) -> float | None:
            if data is None:
                return data
            return cast(float | None, data)

        avg_duration_ms = _parse_avg_duration_ms(d.pop("avg_duration_ms"))

        def _parse_avg_messages_per_session(data: object) -> float | None:
            if data is None:
                return data
            return cast(float | None, data)

        avg_messages_per_session = _parse_avg_messages_per_session(
            d.pop("avg_messages_per_session")
        )

        ended_sessions = d.pop("ended_sessions")

        error_count = d.pop("error_count")

        message_count = d.pop("message_count")

        def _parse_p95_duration_ms(data: object) -> float | None:
            if data is None:
                return data
            return cast(float | None, data)

        p95_duration_ms = _parse_p95_duration_ms(d.pop("p95_duration_ms"))

        total_sessions = d.pop("total_sessions")

        session_figures = cls(
            avg_duration_ms=avg_duration_ms,
            avg_messages_per_session=avg_messages_per_session,
            ended_sessions=ended_sessions,
            error_count=error_count,
            message_count=message_count,
            p95_duration_ms=p95_duration_ms,
            total_sessions=total_sessions,
        )

        session_figures.additional_properties = d
        return session_figures

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
