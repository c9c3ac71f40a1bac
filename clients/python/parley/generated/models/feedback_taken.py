from __future__ import annotations

import datetime
from collections.abc import Mapping
from typing import Any, TypeVar, cast

from attrs import define as _attrs_define
from attrs import field as _attrs_field

from ..models.feedback_taken_rating_type_0 import FeedbackTakenRatingType0
from ..types import UNSET, Unset

T = TypeVar("T", bound="FeedbackTaken")


@_attrs_define
class FeedbackTaken:
    """
    Attributes:
        at (datetime.datetime):
        message_id (str):
        rating (FeedbackTakenRatingType0 | int): up, down, or 1 to 5.
        session_id (str):
        comment (str | Unset):
    """

    at: datetime.datetime
    message_id: str
    rating: FeedbackTakenRatingType0 | int
    session_id: str
    comment: str | Unset = UNSET
    additional_properties: dict[str, Any] = _attrs_field(init=False, factory=dict)

    def to_dict(self) -> dict[str, Any]:
        at = self.at.isoformat()

        message_id = self.message_id

        rating: int | str
        if isinstance(self.rating, FeedbackTakenRatingType0):
            rating = self.rating.value
        else:
            rating = self.rating

        session_id = self.session_id

        comment = self.comment

        field_dict: dict[str, Any] = {}
        field_dict.update(self.additional_properties)
        field_dict.update(
            {
                "at": at,
                "messageId": message_id,
                "rating": rating,
                "sessionId": session_id,
            }
        )
        if comment is not UNSET:
            field_dict["comment"] = comment

        return field_dict

    @classmethod
    def from_dict(cls: type[T], src_dict: Mapping[str, Any]) -> T:
        d = dict(src_dict)
        at = datetime.datetime.fromisoformat(d.pop("at"))

        message_id = d.pop("messageId")

        def _parse_rating(data: object) -> FeedbackTakenRatingType0 | int:
            try:
                if not isinstance(data, str):
                    raise TypeError()
                rating_type_0 = FeedbackTakenRatingType0(data)

                return rating_type_0
            except (TypeError, ValueError, AttributeError, KeyError):
                pass
            return cast(FeedbackTakenRatingType0 | int, data)

        rating = _parse_rating(d.pop("rating"))

        session_id = d.pop("sessionId")

        comment = d.pop("comment", UNSET)

        feedback_taken = cls(
            at=at,
            message_id=message_id,
            rating=rating,
            session_id=session_id,
            comment=comment,
        )

        feedback_taken.additional_properties = d
        return feedback_taken

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
