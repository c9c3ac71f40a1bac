from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, TypeVar

from attrs import define as _attrs_define
from attrs import field as _attrs_field

from ..types import UNSET, Unset

if TYPE_CHECKING:
    from ..models.chat_action import ChatAction
    from ..models.chat_element import ChatElement
    from ..models.chat_outcome import ChatOutcome
    from ..models.chat_state import ChatState
    from ..models.said_message import SaidMessage
    from ..models.trace_event import TraceEvent


T = TypeVar("T", bound="ChatResult")


@_attrs_define
class ChatResult:
    """
    Attributes:
        action (ChatOutcome):
        actions (list[ChatAction]): What of it may be chosen: buttons and options.
        message_id (str): Of the last text that was said; empty: nothing was.
        messages (list[SaidMessage]):
        response (str): What the agents said, joined by line ends.
        rich_content (list[ChatElement]):
        session_id (str):
        state (ChatState):
        trace_events (list[TraceEvent]):
        voice_config (Any): null: the session is not one of voice.
        deployment_id (str | Unset):
    """

    action: ChatOutcome
    actions: list[ChatAction]
    message_id: str
    messages: list[SaidMessage]
    response: str
    rich_content: list[ChatElement]
    session_id: str
    state: ChatState
    trace_events: list[TraceEvent]
    voice_config: Any
    deployment_id: str | Unset = UNSET
    additional_properties: dict[str, Any] = _attrs_field(init=False, factory=dict)

    def to_dict(self) -> dict[str, Any]:
        action = self.action.to_dict()

        actions = []
        for actions_item_data in self.actions:
            actions_item = actions_item_data.to_dict()
            actions.append(actions_item)

        message_id = self.message_id

        messages = []
        for messages_item_data in self.messages:
            messages_item = messages_item_data.to_dict()
            messages.append(messages_item)

        response = self.response

        rich_content = []
        for rich_content_item_data in self.rich_content:
            rich_content_item = rich_content_item_data.to_dict()
            rich_content.append(rich_content_item)

        session_id = self.session_id

        state = self.state.to_dict()

        trace_events = []
        for trace_events_item_data in self.trace_events:
            trace_events_item = trace_events_item_data.to_dict()
            trace_events.append(trace_events_item)

        voice_config = self.voice_config

        deployment_id = self.deployment_id

        field_dict: dict[str, Any] = {}
        field_dict.update(self.additional_properties)
        field_dict.update(
            {
                "action": action,
                "actions": actions,
                "messageId": message_id,
                "messages": messages,
                "response": response,
                "richContent": rich_content,
                "sessionId": session_id,
                "state": state,
                "traceEvents": trace_events,
                "voiceConfig": voice_config,
            }
        )
        if deployment_id is not UNSET:
            field_dict["deploymentId"] = deployment_id

        return field_dict

    @classmethod
    def from_dict(cls: type[T], src_dict: Mapping[str, Any]) -> T:
        from ..models.chat_action import ChatAction  # noqa: PLC0415
        from ..models.chat_element import ChatElement  # noqa: PLC0415
        from ..models.chat_outcome import ChatOutcome  # noqa: PLC0415
        from ..models.chat_state import ChatState  # noqa: PLC0415
        from ..models.said_message import SaidMessage  # noqa: PLC0415
        from ..models.trace_event import TraceEvent  # noqa: PLC0415

        d = dict(src_dict)
        action = ChatOutcome.from_dict(d.pop("action"))

        actions = []
        _actions = d.pop("actions")
        for actions_item_data in _actions:
            actions_item = ChatAction.from_dict(actions_item_data)

            actions.append(actions_item)

        message_id = d.pop("messageId")

        messages = []
        _messages = d.pop("messages")
        for messages_item_data in _messages:
            messages_item = SaidMessage.from_dict(messages_item_data)

            messages.append(messages_item)

        response = d.pop("response")

        rich_content = []
        _rich_content = d.pop("richContent")
        for rich_content_item_data in _rich_content:
            rich_content_item = ChatElement.from_dict(rich_content_item_data)

            rich_content.append(rich_content_item)

        session_id = d.pop("sessionId")

        state = ChatState.from_dict(d.pop("state"))

        trace_events = []
        _trace_events = d.pop("traceEvents")
        for trace_events_item_data in _trace_events:
            trace_events_item = TraceEvent.from_dict(trace_events_item_data)

            trace_events.append(trace_events_item)

        voice_config = d.pop("voiceConfig")

        deployment_id = d.pop("deploymentId", UNSET)

        chat_result = cls(
            action=action,
            actions=actions,
            message_id=message_id,
            messages=messages,
            response=response,
            rich_content=rich_content,
            session_id=session_id,
            state=state,
            trace_events=trace_events,
            voice_config=voice_config,
            deployment_id=deployment_id,
        )

        chat_result.additional_properties = d
        return chat_result

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
