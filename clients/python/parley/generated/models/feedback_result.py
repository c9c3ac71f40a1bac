from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, TypeVar

from attrs import define as _attrs_define
from attrs import field as _attrs_field

if TYPE_CHECKING:
    from ..models.feedback_taken import FeedbackTaken


T = TypeVar("T", bound="FeedbackResult")


@_attrs_define
class FeedbackResult:
    """
    Attributes:
        feedback (FeedbackTaken):
        success (bool):
    """

    feedback: FeedbackTaken
    success: bool
    additional_properties: dict[str, Any] = _attrs_field(init=False, factory=dict)

    def to_dict(self) -> dict[str, Any]:
        feedback = self.feedback.to_dict()

        success = self.success

        field_dict: dict[str, Any] = {}
        field_dict.update(self.additional_properties)
        field_dict.update(
            {
                "feedback": feedback,
                "success": success,
            }
        )

        return field_dict

    @classmethod
    def from_dict(cls: type[T], src_dict: Mapping[str, Any]) -> T:
        from ..models.feedback_taken import FeedbackTaken  # noqa: PLC0415

        d = dict(src_dict)
        feedback = FeedbackTaken.from_dict(d.pop("feedback"))

        success = d.pop("success")

        feedback_result = cls(
            feedback=feedback,
            success=success,
        )

        feedback_result.additional_properties = d
        return feedback_result

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
