from __future__ import annotations

import datetime
from collections.abc import Mapping
from typing import Any, TypeVar

from attrs import define as _attrs_define
from attrs import field as _attrs_field

from ..types import UNSET, Unset

T = TypeVar("T", bound="AssistFailure")


@_attrs_define
class AssistFailure:
    """
    Attributes:
        at (datetime.datetime):
        code (str): NO_AGENT, UNKNOWN_AGENT, AGENT_NOT_RUN, TIMEOUT, QUEUE_FULL, REFUSED, CANCELLED, CONVERSATION_ENDED,
            ERASED, or what the turn failed with, such as STEP_LIMIT.
        message (str | Unset):
        session_id (str | Unset): Left out: no session was asked.
    """

    at: datetime.datetime
    code: str
    message: str | Unset = UNSET
    session_id: str | Unset = UNSET
    additional_properties: dict[str, Any] = _attrs_field(init=False, factory=dict)

    def to_dict(self) -> dict[str, Any]:
        at = self.at.isoformat()

        code = self.code

        message = self.message

        session_id = self.session_id

        field_dict: dict[str, Any] = {}
        field_dict.update(self.additional_properties)
        field_dict.update(
            {
                "at": at,
                "code": code,
            }
        )
        if message is not UNSET:
            field_dict["message"] = message
        if session_id is not UNSET:
            field_dict["sessionId"] = session_id

        return field_dict

    @classmethod
    def from_dict(cls: type[T], src_dict: Mapping[str, Any]) -> T:
        d = dict(src_dict)
        at = datetime.datetime.fromisoformat(d.pop("at"))

        code = d.pop("code")

        message = d.pop("message", UNSET)

        session_id = d.pop("sessionId", UNSET)

        assist_failure = cls(
            at=at,
            code=code,
            message=message,
            session_id=session_id,
        )

        assist_failure.additional_properties = d
        return assist_failure

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
