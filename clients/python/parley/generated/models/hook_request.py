from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, TypeVar

from attrs import define as _attrs_define
from attrs import field as _attrs_field

from ..types import UNSET, Unset

if TYPE_CHECKING:
    from ..models.hook_author import HookAuthor
    from ..models.hook_event import HookEvent


T = TypeVar("T", bound="HookRequest")


@_attrs_define
class HookRequest:
    """
    Attributes:
        bot_id (str): The same bot as in the path.
        conversation_id (str):
        agent_id (str | Unset): Agent associated with the message.
        author (HookAuthor | Unset):
        events (list[HookEvent] | Unset): Lifecycle events, applied in order, all or none. Not beside a message; an
            empty list is none.
        experience (str | Unset):
        language (str | Unset): Language code.
        query (str | Unset): Text of a message. A message needs all members down to language.
        send_agent_message (bool | Unset): true: an agent's message is part of the transcript.
        send_user_message (bool | Unset): true: a user's message asks the assisting agent.
        source (str | Unset): Source platform of the message.
    """

    bot_id: str
    conversation_id: str
    agent_id: str | Unset = UNSET
    author: HookAuthor | Unset = UNSET
    events: list[HookEvent] | Unset = UNSET
    experience: str | Unset = UNSET
    language: str | Unset = UNSET
    query: str | Unset = UNSET
    send_agent_message: bool | Unset = UNSET
    send_user_message: bool | Unset = UNSET
    source: str | Unset = UNSET
    additional_properties: dict[str, Any] = _attrs_field(init=False, factory=dict)

    def to_dict(self) -> dict[str, Any]:
        bot_id = self.bot_id

        conversation_id = self.conversation_id

        agent_id = self.agent_id

        author: dict[str, Any] | Unset = UNSET
        if not isinstance(self.author, Unset):
            author = self.author.to_dict()

        events: list[dict[str, Any]] | Unset = UNSET
        if not isinstance(self.events, Unset):
            events = []
            for events_item_data in self.events:
                events_item = events_item_data.to_dict()
                events.append(events_item)

        experience = self.experience

        language = self.language

        query = self.query

        send_agent_message = self.send_agent_message

        send_user_message = self.send_user_message

        source = self.source

        field_dict: dict[str, Any] = {}
        field_dict.update(self.additional_properties)
        field_dict.update(
            {
                "botId": bot_id,
                "conversationId": conversation_id,
            }
        )
        if agent_id is not UNSET:
            field_dict["agentId"] = agent_id
        if author is not UNSET:
            field_dict["author"] = author
        if events is not UNSET:
            field_dict["events"] = events
        if experience is not UNSET:
            field_dict["experience"] = experience
        if language is not UNSET:
            field_dict["language"] = language
        if query is not UNSET:
            field_dict["query"] = query
        if send_agent_message is not UNSET:
            field_dict["sendAgentMessage"] = send_agent_message
        if send_user_message is not UNSET:
            field_dict["sendUserMessage"] = send_user_message
        if source is not UNSET:
            field_dict["source"] = source

        return field_dict

    @classmethod
    def from_dict(cls: type[T], src_dict: Mapping[str, Any]) -> T:
        from ..models.hook_author import HookAuthor  # noqa: PLC0415
        from ..models.hook_event import HookEvent  # noqa: PLC0415

        d = dict(src_dict)
        bot_id = d.pop("botId")

        conversation_id = d.pop("conversationId")

        agent_id = d.pop("agentId", UNSET)

        _author = d.pop("author", UNSET)
        author: HookAuthor | Unset
        if isinstance(_author, Unset):
            author = UNSET
        else:
            author = HookAuthor.from_dict(_author)

        _events = d.pop("events", UNSET)
        events: list[HookEvent] | Unset = UNSET
        if _events is not UNSET:
            events = []
            for events_item_data in _events:
                events_item = HookEvent.from_dict(events_item_data)

                events.append(events_item)

        experience = d.pop("experience", UNSET)

        language = d.pop("language", UNSET)

        query = d.pop("query", UNSET)

        send_agent_message = d.pop("sendAgentMessage", UNSET)

        send_user_message = d.pop("sendUserMessage", UNSET)

        source = d.pop("source", UNSET)

        hook_request = cls(
            bot_id=bot_id,
            conversation_id=conversation_id,
            agent_id=agent_id,
            author=author,
            events=events,
            experience=experience,
            language=language,
            query=query,
            send_agent_message=send_agent_message,
            send_user_message=send_user_message,
            source=source,
        )

        hook_request.additional_properties = d
        return hook_request

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
