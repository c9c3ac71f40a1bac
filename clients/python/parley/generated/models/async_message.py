from __future__ import annotations

import datetime
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, TypeVar, cast

from attrs import define as _attrs_define
from attrs import field as _attrs_field

from ..models.async_message_action import AsyncMessageAction
from ..models.async_message_status import AsyncMessageStatus

if TYPE_CHECKING:
    from ..models.async_reply import AsyncReply


T = TypeVar("T", bound="AsyncMessage")


@_attrs_define
class AsyncMessage:
    """
    Attributes:
        action (AsyncMessageAction): How its turn left the session.
        code (None | str): Why nobody answers.
        message_id (str):
        reason (None | str):
        received_at (datetime.datetime):
        replies (list[AsyncReply]):
        session_id (None | str): That answers.
        status (AsyncMessageStatus):
    """

    action: AsyncMessageAction
    code: None | str
    message_id: str
    reason: None | str
    received_at: datetime.datetime
    replies: list[AsyncReply]
    session_id: None | str
    status: AsyncMessageStatus
    additional_properties: dict[str, Any] = _attrs_field(init=False, factory=dict)

    def to_dict(self) -> dict[str, Any]:
        action = self.action.value

        code: None | str
        code = self.code

        message_id = self.message_id

        reason: None | str
        reason = self.reason

        received_at = self.received_at.isoformat()

        replies = []
        for replies_item_data in self.replies:
            replies_item = replies_item_data.to_dict()
            replies.append(replies_item)

        session_id: None | str
        session_id = self.session_id

        status = self.status.value

        field_dict: dict[str, Any] = {}
        field_dict.update(self.additional_properties)
        field_dict.update(
            {
                "action": action,
                "code": code,
                "messageId": message_id,
                "reason": reason,
                "receivedAt": received_at,
                "replies": replies,
                "sessionId": session_id,
                "status": status,
            }
        )

        return field_dict

    @classmethod
    def from_dict(cls: type[T], src_dict: Mapping[str, Any]) -> T:
        from ..models.async_reply import AsyncReply  # noqa: PLC0415

        d = dict(src_dict)
        action = AsyncMessageAction(d.pop("action"))

        def _parse_code(data: object) -> None | str:
            if data is None:
                return data
            return cast(None | str, data)

        code = _parse_code(d.pop("code"))

        message_id = d.pop("messageId")

        def _parse_reason(data: object) -> None | str:
            if data is None:
                return data
            return cast(None | str, data)

        reason = _parse_reason(d.pop("reason"))

        received_at = datetime.datetime.fromisoformat(d.pop("receivedAt"))

        replies = []
        _replies = d.pop("replies")
        for replies_item_data in _replies:
            replies_item = AsyncReply.from_dict(replies_item_data)

            replies.append(replies_item)

        def _parse_session_id(data: object) -> None | str:
            if data is None:
                return data
            return cast(None | str, data)

        session_id = _parse_session_id(d.pop("sessionId"))

        status = AsyncMessageStatus(d.pop("status"))

        async_message = cls(
            action=action,
            code=code,
            message_id=message_id,
            reason=reason,
            received_at=received_at,
            replies=replies,
            session_id=session_id,
            status=status,
        )

        async_message.additional_properties = d
        return async_message

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
