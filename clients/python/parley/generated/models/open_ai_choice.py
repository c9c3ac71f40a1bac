from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, TypeVar, cast

from attrs import define as _attrs_define
from attrs import field as _attrs_field

from ..models.open_ai_choice_finish_reason import OpenAIChoiceFinishReason

if TYPE_CHECKING:
    from ..models.open_ai_assistant_message import OpenAIAssistantMessage


T = TypeVar("T", bound="OpenAIChoice")


@_attrs_define
class OpenAIChoice:
    """
    Attributes:
        finish_reason (OpenAIChoiceFinishReason):
        index (int):
        logprobs (None | str): Always null.
        message (OpenAIAssistantMessage):
    """

    finish_reason: OpenAIChoiceFinishReason
    index: int
    logprobs: None | str
    message: OpenAIAssistantMessage
    additional_properties: dict[str, Any] = _attrs_field(init=False, factory=dict)

    def to_dict(self) -> dict[str, Any]:
        finish_reason = self.finish_reason.value

        index = self.index

        logprobs: None | str
        logprobs = self.logprobs

        message = self.message.to_dict()

        field_dict: dict[str, Any] = {}
        field_dict.update(self.additional_properties)
        field_dict.update(
            {
                "finish_reason": finish_reason,
                "index": index,
                "logprobs": logprobs,
                "message": message,
            }
        )

        return field_dict

    @classmethod
    def from_dict(cls: type[T], src_dict: Mapping[str, Any]) -> T:
        from ..models.open_ai_assistant_message import (
            OpenAIAssistantMessage,  # noqa: PLC0415
        )

        d = dict(src_dict)
        finish_reason = OpenAIChoiceFinishReason(d.pop("finish_reason"))

        index = d.pop("index")

        def _parse_logprobs(data: object) -> None | str:
            if data is None:
                return data
            return cast(None | str, data)

        logprobs = _parse_logprobs(d.pop("logprobs"))

        message = OpenAIAssistantMessage.from_dict(d.pop("message"))

        open_ai_choice = cls(
            finish_reason=finish_reason,
            index=index,
            logprobs=logprobs,
            message=message,
        )

        open_ai_choice.additional_properties = d
        return open_ai_choice

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
