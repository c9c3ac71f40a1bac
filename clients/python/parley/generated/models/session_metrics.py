from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, TypeVar

from attrs import define as _attrs_define
from attrs import field as _attrs_field

if TYPE_CHECKING:
    from ..models.agent_in_session import AgentInSession
    from ..models.feedback_in_session import FeedbackInSession
    from ..models.model_call_figures import ModelCallFigures
    from ..models.model_in_session import ModelInSession
    from ..models.session_metrics_by_type import SessionMetricsByType
    from ..models.tool_call_figures import ToolCallFigures
    from ..models.tool_in_session import ToolInSession


T = TypeVar("T", bound="SessionMetrics")


@_attrs_define
class SessionMetrics:
    """
    Attributes:
        by_agent (list[AgentInSession]): Who was at it first is first.
        by_model (list[ModelInSession]): What took most tokens first.
        by_tool (list[ToolInSession]): What was called first is first.
        by_type (SessionMetricsByType): Trace events of each type.
        duration_ms (int): To the end, or to the last activity.
        error_count (int): Turns and calls that failed.
        estimated_cost (float): Of models, in US dollars.
        feedback (FeedbackInSession):
        handoff_count (int):
        message_count (int): Of both sides, also before a reset.
        model_calls (ModelCallFigures):
        session_id (str):
        token_count (int): Of models: in and out.
        tool_calls (ToolCallFigures):
        trace_event_count (int):
        turn_count (int):
    """

    by_agent: list[AgentInSession]
    by_model: list[ModelInSession]
    by_tool: list[ToolInSession]
    by_type: SessionMetricsByType
    duration_ms: int
    error_count: int
    estimated_cost: float
    feedback: FeedbackInSession
    handoff_count: int
    message_count: int
    model_calls: ModelCallFigures
    session_id: str
    token_count: int
    tool_calls: ToolCallFigures
    trace_event_count: int
    turn_count: int
    additional_properties: dict[str, Any] = _attrs_field(init=False, factory=dict)

    def to_dict(self) -> dict[str, Any]:
        by_agent = []
        for by_agent_item_data in self.by_agent:
            by_agent_item = by_agent_item_data.to_dict()
            by_agent.append(by_agent_item)

        by_model = []
        for by_model_item_data in self.by_model:
            by_model_item = by_model_item_data.to_dict()
            by_model.append(by_model_item)

        by_tool = []
        for by_tool_item_data in self.by_tool:
            by_tool_item = by_tool_item_data.to_dict()
            by_tool.append(by_tool_item)

        by_type = self.by_type.to_dict()

        duration_ms = self.duration_ms

        error_count = self.error_count

        estimated_cost = self.estimated_cost

        feedback = self.feedback.to_dict()

        handoff_count = self.handoff_count

        message_count = self.message_count

        model_calls = self.model_calls.to_dict()

        session_id = self.session_id

        token_count = self.token_count

        tool_calls = self.tool_calls.to_dict()

        trace_event_count = self.trace_event_count

        turn_count = self.turn_count

        field_dict: dict[str, Any] = {}
        field_dict.update(self.additional_properties)
        field_dict.update(
            {
                "byAgent": by_agent,
                "byModel": by_model,
                "byTool": by_tool,
                "byType": by_type,
                "durationMs": duration_ms,
                "errorCount": error_count,
                "estimatedCost": estimated_cost,
                "feedback": feedback,
                "handoffCount": handoff_count,
                "messageCount": message_count,
                "modelCalls": model_calls,
                "sessionId": session_id,
                "tokenCount": token_count,
                "toolCalls": tool_calls,
                "traceEventCount": trace_event_count,
                "turnCount": turn_count,
            }
        )

        return field_dict

    @classmethod
    def from_dict(cls: type[T], src_dict: Mapping[str, Any]) -> T:
        from ..models.agent_in_session import AgentInSession  # noqa: PLC0415
        from ..models.feedback_in_session import FeedbackInSession  # noqa: PLC0415
        from ..models.model_call_figures import ModelCallFigures  # noqa: PLC0415
        from ..models.model_in_session import ModelInSession  # noqa: PLC0415
        from ..models.session_metrics_by_type import (
            SessionMetricsByType,  # noqa: PLC0415
        )
        from ..models.tool_call_figures import ToolCallFigures  # noqa: PLC0415
        from ..models.tool_in_session import ToolInSession  # noqa: PLC0415

        d = dict(src_dict)
        by_agent = []
        _by_agent = d.pop("byAgent")
        for by_agent_item_data in _by_agent:
            by_agent_item = AgentInSession.from_dict(by_agent_item_data)

            by_agent.append(by_agent_item)

        by_model = []
        _by_model = d.pop("byModel")
        for by_model_item_data in _by_model:
            by_model_item = ModelInSession.from_dict(by_model_item_data)

            by_model.append(by_model_item)

        by_tool = []
        _by_tool = d.pop("byTool")
        for by_tool_item_data in _by_tool:
            by_tool_item = ToolInSession.from_dict(by_tool_item_data)

            by_tool.append(by_tool_item)

        by_type = SessionMetricsByType.from_dict(d.pop("byType"))

        duration_ms = d.pop("durationMs")

        error_count = d.pop("errorCount")

        estimated_cost = d.pop("estimatedCost")

        feedback = FeedbackInSession.from_dict(d.pop("feedback"))

        handoff_count = d.pop("handoffCount")

        message_count = d.pop("messageCount")

        model_calls = ModelCallFigures.from_dict(d.pop("modelCalls"))

        session_id = d.pop("sessionId")

        token_count = d.pop("tokenCount")

        tool_calls = ToolCallFigures.from_dict(d.pop("toolCalls"))

        trace_event_count = d.pop("traceEventCount")

        turn_count = d.pop("turnCount")

        session_metrics = cls(
            by_agent=by_agent,
            by_model=by_model,
            by_tool=by_tool,
            by_type=by_type,
            duration_ms=duration_ms,
            error_count=error_count,
            estimated_cost=estimated_cost,
            feedback=feedback,
            handoff_count=handoff_count,
            message_count=message_count,
            model_calls=model_calls,
            session_id=session_id,
            token_count=token_count,
            tool_calls=tool_calls,
            trace_event_count=trace_event_count,
            turn_count=turn_count,
        )

        session_metrics.additional_properties = d
        return session_metrics

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
