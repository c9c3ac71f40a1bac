from __future__ import annotations

import datetime
from collections.abc import Mapping
from typing import Any, TypeVar, cast

from attrs import define as _attrs_define
from attrs import field as _attrs_field

from ..models.channel_delivery_state import ChannelDeliveryState
from ..models.channel_delivery_status import ChannelDeliveryStatus

T = TypeVar("T", bound="ChannelDelivery")


@_attrs_define
class ChannelDelivery:
    """
    Attributes:
        attempts (int): At the part whose turn it is, or was last.
        code (None | str): Of the newest attempt that came to nothing; of one that is undelivered the provider's.
        ended_at (datetime.datetime | None):
        id (str):
        message_id (str): Of what was said, as the transcript has it.
        parts (int): In how many messages it goes out.
        parts_sent (int):
        provider_message_id (None | str): Of the newest part that the provider took.
        queued_at (datetime.datetime):
        reason (None | str):
        send_by (datetime.datetime): It is given up then.
        session_id (str):
        state (ChannelDeliveryState): What the provider said of it later; null: nothing.
        status (ChannelDeliveryStatus):
    """

    attempts: int
    code: None | str
    ended_at: datetime.datetime | None
    id: str
    message_id: str
    parts: int
    parts_sent: int
    provider_message_id: None | str
    queued_at: datetime.datetime
    reason: None | str
    send_by: datetime.datetime
    session_id: str
    state: ChannelDeliveryState
    status: ChannelDeliveryStatus
    additional_properties: dict[str, Any] = _attrs_field(init=False, factory=dict)

    def to_dict(self) -> dict[str, Any]:
        attempts = self.attempts

        code: None | str
        code = self.code

        ended_at: None | str
        if isinstance(self.ended_at, datetime.datetime):
            ended_at = self.ended_at.isoformat()
        else:
            ended_at = self.ended_at

        id = self.id

        message_id = self.message_id

        parts = self.parts

        parts_sent = self.parts_sent

        provider_message_id: None | str
        provider_message_id = self.provider_message_id

        queued_at = self.queued_at.isoformat()

        reason: None | str
        reason = self.reason

        send_by = self.send_by.isoformat()

        session_id = self.session_id

        state = self.state.value

        status = self.status.value

        field_dict: dict[str, Any] = {}
        field_dict.update(self.additional_properties)
        field_dict.update(
            {
                "attempts": attempts,
                "code": code,
                "endedAt": ended_at,
                "id": id,
                "messageId": message_id,
                "parts": parts,
                "partsSent": parts_sent,
                "providerMessageId": provider_message_id,
                "queuedAt": queued_at,
                "reason": reason,
                "sendBy": send_by,
                "sessionId": session_id,
                "state": state,
                "status": status,
            }
        )

        return field_dict

    @classmethod
    def from_dict(cls: type[T], src_dict: Mapping[str, Any]) -> T:
        d = dict(src_dict)
        attempts = d.pop("attempts")

        def _parse_code(data: object) -> None | str:
            if data is None:
                return data
            return cast(None | str, data)

        code = _parse_code(d.pop("code"))

        def _parse_ended_at(data: object) -> datetime.datetime | None:
            if data is None:
                return data
            try:
                if not isinstance(data, str):
                    raise TypeError()
                ended_at_type_0 = datetime.datetime.fromisoformat(data)

                return ended_at_type_0
            except (TypeError, ValueError, AttributeError, KeyError):
                pass
            return cast(datetime.datetime | None, data)

        ended_at = _parse_ended_at(d.pop("endedAt"))

        id = d.pop("id")

        message_id = d.pop("messageId")

        parts = d.pop("parts")

        parts_sent = d.pop("partsSent")

        def _parse_provider_message_id(data: object) -> None | str:
            if data is None:
                return data
            return cast(None | str, data)

        provider_message_id = _parse_provider_message_id(d.pop("providerMessageId"))

        queued_at = datetime.datetime.fromisoformat(d.pop("queuedAt"))

        def _parse_reason(data: object) -> None | str:
            if data is None:
                return data
            return cast(None | str, data)

        reason = _parse_reason(d.pop("reason"))

        send_by = datetime.datetime.fromisoformat(d.pop("sendBy"))

        session_id = d.pop("sessionId")

        state = ChannelDeliveryState(d.pop("state"))

        status = ChannelDeliveryStatus(d.pop("status"))

        channel_delivery = cls(
            attempts=attempts,
            code=code,
            ended_at=ended_at,
            id=id,
            message_id=message_id,
            parts=parts,
            parts_sent=parts_sent,
            provider_message_id=provider_message_id,
            queued_at=queued_at,
            reason=reason,
            send_by=send_by,
            session_id=session_id,
            state=state,
            status=status,
        )

        channel_delivery.additional_properties = d
        return channel_delivery

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
