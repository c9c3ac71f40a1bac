from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, TypeVar

from attrs import define as _attrs_define
from attrs import field as _attrs_field

from ..models.open_ai_request_modalities_item import OpenAIRequestModalitiesItem
from ..types import UNSET, Unset

if TYPE_CHECKING:
    from ..models.open_ai_message import OpenAIMessage
    from ..models.open_ai_metadata import OpenAIMetadata
    from ..models.open_ai_response_format import OpenAIResponseFormat
    from ..models.open_ai_stream_options import OpenAIStreamOptions
    from ..models.open_ai_tool import OpenAITool


T = TypeVar("T", bound="OpenAIRequest")


@_attrs_define
class OpenAIRequest:
    """
    Attributes:
        messages (list[OpenAIMessage]):
        model (str): A deployment's endpointSlug, or a model of the project or of this server.
        functions (Any | Unset): Is refused: see tools.
        logprobs (bool | Unset): Is refused: providers do not all tell them.
        max_completion_tokens (int | Unset): Of the answer; 0: the model's own bound.
        max_tokens (int | Unset): Older name of max_completion_tokens.
        metadata (OpenAIMetadata | Unset):
        modalities (list[OpenAIRequestModalitiesItem] | Unset): An answer is a text.
        n (int | Unset): There is one answer.
        parallel_tool_calls (bool | Unset): false: at most one tool is called.
        response_format (OpenAIResponseFormat | Unset):
        stop (Any | Unset): A text, or up to four, before which the answer ends.
        stream (bool | Unset):
        stream_options (OpenAIStreamOptions | Unset):
        temperature (float | Unset):
        tool_choice (Any | Unset): none, auto, required, or {type: function, function: {name}}.
        tools (list[OpenAITool] | Unset):
    """

    messages: list[OpenAIMessage]
    model: str
    functions: Any | Unset = UNSET
    logprobs: bool | Unset = UNSET
    max_completion_tokens: int | Unset = UNSET
    max_tokens: int | Unset = UNSET
    metadata: OpenAIMetadata | Unset = UNSET
    modalities: list[OpenAIRequestModalitiesItem] | Unset = UNSET
    n: int | Unset = UNSET
    parallel_tool_calls: bool | Unset = UNSET
    response_format: OpenAIResponseFormat | Unset = UNSET
    stop: Any | Unset = UNSET
    stream: bool | Unset = UNSET
    stream_options: OpenAIStreamOptions | Unset = UNSET
    temperature: float | Unset = UNSET
    tool_choice: Any | Unset = UNSET
    tools: list[OpenAITool] | Unset = UNSET
    additional_properties: dict[str, Any] = _attrs_field(init=False, factory=dict)

    def to_dict(self) -> dict[str, Any]:
        messages = []
        for messages_item_data in self.messages:
            messages_item = messages_item_data.to_dict()
            messages.append(messages_item)

        model = self.model

        functions = self.functions

        logprobs = self.logprobs

        max_completion_tokens = self.max_completion_tokens

        max_tokens = self.max_tokens

        metadata: dict[str, Any] | Unset = UNSET
        if not isinstance(self.metadata, Unset):
            metadata = self.metadata.to_dict()

        modalities: list[str] | Unset = UNSET
        if not isinstance(self.modalities, Unset):
            modalities = []
            for modalities_item_data in self.modalities:
                modalities_item = modalities_item_data.value
                modalities.append(modalities_item)

        n = self.n

        parallel_tool_calls = self.parallel_tool_calls

        response_format: dict[str, Any] | Unset = UNSET
        if not isinstance(self.response_format, Unset):
            response_format = self.response_format.to_dict()

        stop = self.stop

        stream = self.stream

        stream_options: dict[str, Any] | Unset = UNSET
        if not isinstance(self.stream_options, Unset):
            stream_options = self.stream_options.to_dict()

        temperature = self.temperature

        tool_choice = self.tool_choice

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
                "model": model,
            }
        )
        if functions is not UNSET:
            field_dict["functions"] = functions
        if logprobs is not UNSET:
            field_dict["logprobs"] = logprobs
        if max_completion_tokens is not UNSET:
            field_dict["max_completion_tokens"] = max_completion_tokens
        if max_tokens is not UNSET:
            field_dict["max_tokens"] = max_tokens
        if metadata is not UNSET:
            field_dict["metadata"] = metadata
        if modalities is not UNSET:
            field_dict["modalities"] = modalities
        if n is not UNSET:
            field_dict["n"] = n
        if parallel_tool_calls is not UNSET:
            field_dict["parallel_tool_calls"] = parallel_tool_calls
        if response_format is not UNSET:
            field_dict["response_format"] = response_format
        if stop is not UNSET:
            field_dict["stop"] = stop
        if stream is not UNSET:
            field_dict["stream"] = stream
        if stream_options is not UNSET:
            field_dict["stream_options"] = stream_options
        if temperature is not UNSET:
            field_dict["temperature"] = temperature
        if tool_choice is not UNSET:
            field_dict["tool_choice"] = tool_choice
        if tools is not UNSET:
            field_dict["tools"] = tools

        return field_dict

    @classmethod
    def from_dict(cls: type[T], src_dict: Mapping[str, Any]) -> T:
        from ..models.open_ai_message import OpenAIMessage  # noqa: PLC0415
        from ..models.open_ai_metadata import OpenAIMetadata  # noqa: PLC0415
        from ..models.open_ai_response_format import (
            OpenAIResponseFormat,  # noqa: PLC0415
        )
        from ..models.open_ai_stream_options import OpenAIStreamOptions  # noqa: PLC0415
        from ..models.open_ai_tool import OpenAITool  # noqa: PLC0415

        d = dict(src_dict)
        messages = []
        _messages = d.pop("messages")
        for messages_item_data in _messages:
            messages_item = OpenAIMessage.from_dict(messages_item_data)

            messages.append(messages_item)

        model = d.pop("model")

        functions = d.pop("functions", UNSET)

        logprobs = d.pop("logprobs", UNSET)

        max_completion_tokens = d.pop("max_completion_tokens", UNSET)

        max_tokens = d.pop("max_tokens", UNSET)

        _metadata = d.pop("metadata", UNSET)
        metadata: OpenAIMetadata | Unset
        if isinstance(_metadata, Unset):
            metadata = UNSET
        else:
            metadata = OpenAIMetadata.from_dict(_metadata)

        _modalities = d.pop("modalities", UNSET)
        modalities: list[OpenAIRequestModalitiesItem] | Unset = UNSET
        if _modalities is not UNSET:
            modalities = []
            for modalities_item_data in _modalities:
                modalities_item = OpenAIRequestModalitiesItem(modalities_item_data)

                modalities.append(modalities_item)

        n = d.pop("n", UNSET)

        parallel_tool_calls = d.pop("parallel_tool_calls", UNSET)

        _response_format = d.pop("response_format", UNSET)
        response_format: OpenAIResponseFormat | Unset
        if isinstance(_response_format, Unset):
            response_format = UNSET
        else:
            response_format = OpenAIResponseFormat.from_dict(_response_format)

        stop = d.pop("stop", UNSET)

        stream = d.pop("stream", UNSET)

        _stream_options = d.pop("stream_options", UNSET)
        stream_options: OpenAIStreamOptions | Unset
        if isinstance(_stream_options, Unset):
            stream_options = UNSET
        else:
            stream_options = OpenAIStreamOptions.from_dict(_stream_options)

        temperature = d.pop("temperature", UNSET)

        tool_choice = d.pop("tool_choice", UNSET)

        _tools = d.pop("tools", UNSET)
        tools: list[OpenAITool] | Unset = UNSET
        if _tools is not UNSET:
            tools = []
            for tools_item_data in _tools:
                tools_item = OpenAITool.from_dict(tools_item_data)

                tools.append(tools_item)

        open_ai_request = cls(
            messages=messages,
            model=model,
            functions=functions,
            logprobs=logprobs,
            max_completion_tokens=max_completion_tokens,
            max_tokens=max_tokens,
            metadata=metadata,
            modalities=modalities,
            n=n,
            parallel_tool_calls=parallel_tool_calls,
            response_format=response_format,
            stop=stop,
            stream=stream,
            stream_options=stream_options,
            temperature=temperature,
            tool_choice=tool_choice,
            tools=tools,
        )

        open_ai_request.additional_properties = d
        return open_ai_request

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
