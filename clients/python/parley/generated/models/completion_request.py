from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, TypeVar

from attrs import define as _attrs_define
from attrs import field as _attrs_field

from ..models.completion_request_tier import CompletionRequestTier
from ..types import UNSET, Unset

if TYPE_CHECKING:
    from ..models.chat_message import ChatMessage
    from ..models.chat_tool import ChatTool


T = TypeVar("T", bound="CompletionRequest")


@_attrs_define
class CompletionRequest:
    """
    Attributes:
        messages (list[ChatMessage]): What was said until now, oldest first.
        project_id (str): A project's id or alias.
        max_tokens (int | Unset): Of the answer.
        model_id (str | Unset): A model of the project or of this server. Wins over tier.
        session_id (str | Unset): Counts against the rate of this session: 60 messages a minute.
        temperature (float | Unset):
        tier (CompletionRequestTier | Unset): Without modelId: one of the models of this tier, the project's own before
            the server's; balanced unless the project's settings say otherwise.
        tools (list[ChatTool] | Unset): What the model may ask to be called.
    """

    messages: list[ChatMessage]
    project_id: str
    max_tokens: int | Unset = UNSET
    model_id: str | Unset = UNSET
    session_id: str | Unset = UNSET
    temperature: float | Unset = UNSET
    tier: CompletionRequestTier | Unset = UNSET
    tools: list[ChatTool] | Unset = UNSET
    additional_properties: dict[str, Any] = _attrs_field(init=False, factory=dict)

    def to_dict(self) -> dict[str, Any]:
        messages = []
        for messages_item_data in self.messages:
            messages_item = messages_item_data.to_dict()
            messages.append(messages_item)

        project_id = self.project_id

        max_tokens = self.max_tokens

        model_id = self.model_id

        session_id = self.session_id

        temperature = self.temperature

        tier: str | Unset = UNSET
        if not isinstance(self.tier, Unset):
            tier = self.tier.value

        tools: list[dict[str, Any]] | Unset = UNSET
        if not isinstance(self.tools, Unset):
            tools = []
            for tools_item_data in self.tools:
                tools_item = tools_item_data.to_dict()
                tools.append(tools_item)

        field_dict: dict[str, Any] = {}
        field_dict.update(self.additional_properties)
        field_dict.update(
            {
                "messages": messages,
                "projectId": project_id,
            }
        )
        if max_tokens is not UNSET:
            field_dict["maxTokens"] = max_tokens
        if model_id is not UNSET:
            field_dict["modelId"] = model_id
        if session_id is not UNSET:
            field_dict["sessionId"] = session_id
        if temperature is not UNSET:
            field_dict["temperature"] = temperature
        if tier is not UNSET:
            field_dict["tier"] = tier
        if tools is not UNSET:
            field_dict["tools"] = tools

        return field_dict

    @classmethod
    def from_dict(cls: type[T], src_dict: Mapping[str, Any]) -> T:
        from ..models.chat_message import ChatMessage  # noqa: PLC0415
        from ..models.chat_tool import ChatTool  # noqa: PLC0415

        d = dict(src_dict)
        messages = []
        _messages = d.pop("messages")
        for messages_item_data in _messages:
            messages_item = ChatMessage.from_dict(messages_item_data)

            messages.append(messages_item)

        project_id = d.pop("projectId")

        max_tokens = d.pop("maxTokens", UNSET)

        model_id = d.pop("modelId", UNSET)

        session_id = d.pop("sessionId", UNSET)

        temperature = d.pop("temperature", UNSET)

        _tier = d.pop("tier", UNSET)
        tier: CompletionRequestTier | Unset
        if isinstance(_tier, Unset):
            tier = UNSET
        else:
            tier = CompletionRequestTier(_tier)

        _tools = d.pop("tools", UNSET)
        tools: list[ChatTool] | Unset = UNSET
        if _tools is not UNSET:
            tools = []
            for tools_item_data in _tools:
                tools_item = ChatTool.from_dict(tools_item_data)

                tools.append(tools_item)

        completion_request = cls(
            messages=messages,
            project_id=project_id,
            max_tokens=max_tokens,
            model_id=model_id,
            session_id=session_id,
            temperature=temperature,
            tier=tier,
            tools=tools,
        )

        completion_request.additional_properties = d
        return completion_request

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
