from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, TypeVar

from attrs import define as _attrs_define
from attrs import field as _attrs_field

if TYPE_CHECKING:
    from ..models.conversation_summary import ConversationSummary


T = TypeVar("T", bound="SummarizeAgainResult")


@_attrs_define
class SummarizeAgainResult:
    """
    Attributes:
        conversation_id (str):
        success (bool):
        summary (ConversationSummary):
    """

    conversation_id: str
    success: bool
    summary: ConversationSummary
    additional_properties: dict[str, Any] = _attrs_field(init=False, factory=dict)

    def to_dict(self) -> dict[str, Any]:
        conversation_id = self.conversation_id

        success = self.success

        summary = self.summary.to_dict()

        field_dict: dict[str, Any] = {}
        field_dict.update(self.additional_properties)
        field_dict.update(
            {
                "conversationId": conversation_id,
                "success": success,
                "summary": summary,
            }
        )

        return field_dict

    @classmethod
    def from_dict(cls: type[T], src_dict: Mapping[str, Any]) -> T:
        from ..models.conversation_summary import ConversationSummary  # noqa: PLC0415

        d = dict(src_dict)
        conversation_id = d.pop("conversationId")

        success = d.pop("success")

        summary = ConversationSummary.from_dict(d.pop("summary"))

        summarize_again_result = cls(
            conversation_id=conversation_id,
            success=success,
            summary=summary,
        )

        summarize_again_result.additional_properties = d
        return summarize_again_result

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
