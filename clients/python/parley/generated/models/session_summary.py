from __future__ import annotations

import datetime
from collections.abc import Mapping
from typing import Any, TypeVar

from attrs import define as _attrs_define
from attrs import field as _attrs_field

from ..models.session_summary_status import SessionSummaryStatus

T = TypeVar("T", bound="SessionSummary")


@_attrs_define
class SessionSummary:
    """
    Attributes:
        agent_id (str): Of the agent that it began with; empty where there is none of that name any more.
        agent_name (str):
        channel (str):
        created_at (datetime.datetime):
        duration_ms (int): To the end, or to the last activity.
        error_count (int): Calls of tools and of models that failed, and turns that did.
        estimated_cost (float): Of models, in US dollars.
        handoff_count (int):
        id (str):
        last_activity_at (datetime.datetime):
        message_count (int): Of both sides.
        runtime_session_id (str): The same.
        status (SessionSummaryStatus):
        token_count (int): Of models: in and out.
        trace_event_count (int):
    """

    agent_id: str
    agent_name: str
    channel: str
    created_at: datetime.datetime
    duration_ms: int
    error_count: int
    estimated_cost: float
    handoff_count: int
    id: str
    last_activity_at: datetime.datetime
    message_count: int
    runtime_session_id: str
    status: SessionSummaryStatus
    token_count: int
    trace_event_count: int
    additional_properties: dict[str, Any] = _attrs_field(init=False, factory=dict)

    def to_dict(self) -> dict[str, Any]:
        agent_id = self.agent_id

        agent_name = self.agent_name

        channel = self.channel

        created_at = self.created_at.isoformat()

        duration_ms = self.duration_ms

        error_count = self.error_count

        estimated_cost = self.estimated_cost

        handoff_count = self.handoff_count

        id = self.id

        last_activity_at = self.last_activity_at.isoformat()

        message_count = self.message_count

        runtime_session_id = self.runtime_session_id

        status = self.status.value

        token_count = self.token_count

        trace_event_count = self.trace_event_count

        field_dict: dict[str, Any] = {}
        field_dict.update(self.additional_properties)
        field_dict.update(
            {
                "agentId": agent_id,
                "agentName": agent_name,
                "channel": channel,
                "createdAt": created_at,
                "durationMs": duration_ms,
                "errorCount": error_count,
                "estimatedCost": estimated_cost,
                "handoffCount": handoff_count,
                "id": id,
                "lastActivityAt": last_activity_at,
                "messageCount": message_count,
                "runtimeSessionId": runtime_session_id,
                "status": status,
                "tokenCount": token_count,
                "traceEventCount": trace_event_count,
            }
        )

        return field_dict

    @classmethod
    def from_dict(cls: type[T], src_dict: Mapping[str, Any]) -> T:
        d = dict(src_dict)
        agent_id = d.pop("agentId")

        agent_name = d.pop("agentName")

        channel = d.pop("channel")

        created_at = datetime.datetime.fromisoformat(d.pop("createdAt"))

        duration_ms = d.pop("durationMs")

        error_count = d.pop("errorCount")

        estimated_cost = d.pop("estimatedCost")

        handoff_count = d.pop("handoffCount")

        id = d.pop("id")

        last_activity_at = datetime.datetime.fromisoformat(d.pop("lastActivityAt"))

        message_count = d.pop("messageCount")

        runtime_session_id = d.pop("runtimeSessionId")

        status = SessionSummaryStatus(d.pop("status"))

        token_count = d.pop("tokenCount")

        trace_event_count = d.pop("traceEventCount")

        session_summary = cls(
            agent_id=agent_id,
            agent_name=agent_name,
            channel=channel,
            created_at=created_at,
            duration_ms=duration_ms,
            error_count=error_count,
            estimated_cost=estimated_cost,
            handoff_count=handoff_count,
            id=id,
            last_activity_at=last_activity_at,
            message_count=message_count,
            runtime_session_id=runtime_session_id,
            status=status,
            token_count=token_count,
            trace_event_count=trace_event_count,
        )

        session_summary.additional_properties = d
        return session_summary

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
