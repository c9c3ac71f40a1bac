from __future__ import annotations

import datetime
from collections.abc import Mapping
from typing import Any, TypeVar

from attrs import define as _attrs_define
from attrs import field as _attrs_field

from ..models.call_answered_notification_status import CallAnsweredNotificationStatus

T = TypeVar("T", bound="CallAnsweredNotification")


@_attrs_define
class CallAnsweredNotification:
    """
    Attributes:
        call_connect_time (datetime.datetime): When the callee picked up.
        connect_duration_in_ms (int):
        conversation_id (str): callId of the dial-out.
        reason (str):
        reason_code (str):
        ring_duration_in_ms (int):
        status (CallAnsweredNotificationStatus):
    """

    call_connect_time: datetime.datetime
    connect_duration_in_ms: int
    conversation_id: str
    reason: str
    reason_code: str
    ring_duration_in_ms: int
    status: CallAnsweredNotificationStatus
    additional_properties: dict[str, Any] = _attrs_field(init=False, factory=dict)

    def to_dict(self) -> dict[str, Any]:
        call_connect_time = self.call_connect_time.isoformat()

        connect_duration_in_ms = self.connect_duration_in_ms

        conversation_id = self.conversation_id

        reason = self.reason

        reason_code = self.reason_code

        ring_duration_in_ms = self.ring_duration_in_ms

        status = self.status.value

        field_dict: dict[str, Any] = {}
        field_dict.update(self.additional_properties)
        field_dict.update(
            {
                "callConnectTime": call_connect_time,
                "connectDurationInMS": connect_duration_in_ms,
                "conversationId": conversation_id,
                "reason": reason,
                "reasonCode": reason_code,
                "ringDurationInMS": ring_duration_in_ms,
                "status": status,
            }
        )

        return field_dict

    @classmethod
    def from_dict(cls: type[T], src_dict: Mapping[str, Any]) -> T:
        d = dict(src_dict)
        call_connect_time = datetime.datetime.fromisoformat(d.pop("callConnectTime"))

        connect_duration_in_ms = d.pop("connectDurationInMS")

        conversation_id = d.pop("conversationId")

        reason = d.pop("reason")

        reason_code = d.pop("reasonCode")

        ring_duration_in_ms = d.pop("ringDurationInMS")

        status = CallAnsweredNotificationStatus(d.pop("status"))

        call_answered_notification = cls(
            call_connect_time=call_connect_time,
            connect_duration_in_ms=connect_duration_in_ms,
            conversation_id=conversation_id,
            reason=reason,
            reason_code=reason_code,
            ring_duration_in_ms=ring_duration_in_ms,
            status=status,
        )

        call_answered_notification.additional_properties = d
        return call_answered_notification

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
