from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, TypeVar

from attrs import define as _attrs_define
from attrs import field as _attrs_field

if TYPE_CHECKING:
    from ..models.feedback_in_session_by_rating import FeedbackInSessionByRating


T = TypeVar("T", bound="FeedbackInSession")


@_attrs_define
class FeedbackInSession:
    """
    Attributes:
        by_rating (FeedbackInSessionByRating):
        messages (int):
    """

    by_rating: FeedbackInSessionByRating
    messages: int
    additional_properties: dict[str, Any] = _attrs_field(init=False, factory=dict)

    def to_dict(self) -> dict[str, Any]:
        by_rating = self.by_rating.to_dict()

        messages = self.messages

        field_dict: dict[str, Any] = {}
        field_dict.update(self.additional_properties)
        field_dict.update(
            {
                "byRating": by_rating,
                "messages": messages,
            }
        )

        return field_dict

    @classmethod
    def from_dict(cls: type[T], src_dict: Mapping[str, Any]) -> T:
        from ..models.feedback_in_session_by_rating import (
            FeedbackInSessionByRating,  # noqa: PLC0415
        )

        d = dict(src_dict)
        by_rating = FeedbackInSessionByRating.from_dict(d.pop("byRating"))

        messages = d.pop("messages")

        feedback_in_session = cls(
            by_rating=by_rating,
            messages=messages,
        )

        feedback_in_session.additional_properties = d
        return feedback_in_session

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
