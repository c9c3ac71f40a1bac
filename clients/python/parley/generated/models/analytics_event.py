from __future__ import annotations

import datetime
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, TypeVar, cast
from uuid import UUID

from attrs import define as _attrs_define
from attrs import field as _attrs_field

from ..models.analytics_event_category import AnalyticsEventCategory

if TYPE_CHECKING:
    from ..models.analytics_event_metadata import AnalyticsEventMetadata


T = TypeVar("T", bound="AnalyticsEvent")


@_attrs_define
class AnalyticsEvent:
    """
    Attributes:
        agent_name (None | str):
        category (AnalyticsEventCategory):
        duration_ms (int | None):
        error (None | str):
        event_type (str):
        id (UUID): The event's id on the log.
        metadata (AnalyticsEventMetadata): Such as model, tokens_in, tokens_out; for acts of administration actor and
            stream.
        session_id (None | str):
        timestamp (datetime.datetime):
    """

    agent_name: None | str
    category: AnalyticsEventCategory
    duration_ms: int | None
    error: None | str
    event_type: str
    id: UUID
    metadata: AnalyticsEventMetadata
    session_id: None | str
    timestamp: datetime.datetime
    additional_properties: dict[str, Any] = _attrs_field(init=False, factory=dict)

    def to_dict(self) -> dict[str, Any]:
        agent_name: None | str
        agent_name = self.agent_name

        category = self.category.value

        duration_ms: int | None
        duration_ms = self.duration_ms

        error: None | str
        error = self.error

        event_type = self.event_type

        id = str(self.id)

        metadata = self.metadata.to_dict()

        session_id: None | str
        session_id = self.session_id

        timestamp = self.timestamp.isoformat()

        field_dict: dict[str, Any] = {}
        field_dict.update(self.additional_properties)
        field_dict.update(
            {
                "agent_name": agent_name,
                "category": category,
                "duration_ms": duration_ms,
                "error": error,
                "event_type": event_type,
                "id": id,
                "metadata": metadata,
                "session_id": session_id,
                "timestamp": timestamp,
            }
        )

        return field_dict

    @classmethod
    def from_dict(cls: type[T], src_dict: Mapping[str, Any]) -> T:
        from ..models.analytics_event_metadata import (
            AnalyticsEventMetadata,  # noqa: PLC0415
        )

        d = dict(src_dict)

        def _parse_agent_name(data: object) -> None | str:
            if data is None:
                return data
            return cast(None | str, data)

        agent_name = _parse_agent_name(d.pop("agent_name"))

        category = AnalyticsEventCategory(d.pop("category"))

        def _parse_duration_ms(data: object) -> int | None:
            if data is None:
                return data
            return cast(int | None, data)

        duration_ms = _parse_duration_ms(d.pop("duration_ms"))

        def _parse_error(data: object) -> None | str:
            if data is None:
                return data
            return cast(None | str, data)

        error = _parse_error(d.pop("error"))

        event_type = d.pop("event_type")

        id = UUID(d.pop("id"))

        metadata = AnalyticsEventMetadata.from_dict(d.pop("metadata"))

        def _parse_session_id(data: object) -> None | str:
            if data is None:
                return data
            return cast(None | str, data)

        session_id = _parse_session_id(d.pop("session_id"))

        timestamp = datetime.datetime.fromisoformat(d.pop("timestamp"))

        analytics_event = cls(
            agent_name=agent_name,
            category=category,
            duration_ms=duration_ms,
            error=error,
            event_type=event_type,
            id=id,
            metadata=metadata,
            session_id=session_id,
            timestamp=timestamp,
        )

        analytics_event.additional_properties = d
        return analytics_event

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
