from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, TypeVar

from attrs import define as _attrs_define
from attrs import field as _attrs_field

from ..models.answer_shown_finish_reason import AnswerShownFinishReason

if TYPE_CHECKING:
    from ..models.shown_call import ShownCall
    from ..models.shown_usage import ShownUsage


T = TypeVar("T", bound="AnswerShown")


@_attrs_define
class AnswerShown:
    """
    Attributes:
        content (str):
        finish_reason (AnswerShownFinishReason):
        latency_ms (int):
        model (str): The model that answered, by its modelId.
        provider (str):
        tool_calls (list[ShownCall]):
        usage (ShownUsage):
    """

    content: str
    finish_reason: AnswerShownFinishReason
    latency_ms: int
    model: str
    provider: str
    tool_calls: list[ShownCall]
    usage: ShownUsage
    additional_properties: dict[str, Any] = _attrs_field(init=False, factory=dict)

    def to_dict(self) -> dict[str, Any]:
        content = self.content

        finish_reason = self.finish_reason.value

        latency_ms = self.latency_ms

        model = self.model

        provider = self.provider

        tool_calls = []
        for tool_calls_item_data in self.tool_calls:
            tool_calls_item = tool_calls_item_data.to_dict()
            tool_calls.append(tool_calls_item)

        usage = self.usage.to_dict()

        field_dict: dict[str, Any] = {}
        field_dict.update(self.additional_properties)
        field_dict.update(
            {
                "content": content,
                "finishReason": finish_reason,
                "latencyMs": latency_ms,
                "model": model,
                "provider": provider,
                "toolCalls": tool_calls,
                "usage": usage,
            }
        )

        return field_dict

    @classmethod
    def from_dict(cls: type[T], src_dict: Mapping[str, Any]) -> T:
        from ..models.shown_call import ShownCall  # noqa: PLC0415
        from ..models.shown_usage import ShownUsage  # noqa: PLC0415

        d = dict(src_dict)
        content = d.pop("content")

        finish_reason = AnswerShownFinishReason(d.pop("finishReason"))

        latency_ms = d.pop("latencyMs")

        model = d.pop("model")

        provider = d.pop("provider")

        tool_calls = []
        _tool_calls = d.pop("toolCalls")
        for tool_calls_item_data in _tool_calls:
            tool_calls_item = ShownCall.from_dict(tool_calls_item_data)

            tool_calls.append(tool_calls_item)

        usage = ShownUsage.from_dict(d.pop("usage"))

        answer_shown = cls(
            content=content,
            finish_reason=finish_reason,
            latency_ms=latency_ms,
            model=model,
            provider=provider,
            tool_calls=tool_calls,
            usage=usage,
        )

        answer_shown.additional_properties = d
        return answer_shown

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
