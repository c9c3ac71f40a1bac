from __future__ import annotations

import datetime
from collections.abc import Mapping
from typing import Any, TypeVar

from attrs import define as _attrs_define
from attrs import field as _attrs_field

from ..models.call_completed_notification_status import CallCompletedNotificationStatus
from ..types import UNSET, Unset

T = TypeVar("T", bound="CallCompletedNotification")


@_attrs_define
class CallCompletedNotification:
    """
    Attributes:
        call_connect_time (datetime.datetime): When the callee picked up.
        call_disconnect_time (datetime.datetime):
        call_duration (int): Whole seconds.
        connect_duration_in_ms (int):
        conversation_id (str): callId of the dial-out.
        reason (str):
        reason_code (str):
        ring_duration_in_ms (int):
        status (CallCompletedNotificationStatus):
        machine_detection (str | Unset): The verdict of answering machine detection, if it was asked for.
        session_id (str | Unset): The session in call details.
    """

    call_connect_time: datetime.datetime
    call_disconnect_time: datetime.datetime
    call_duration: int
    connect_duration_in_ms: int
    conversation_id: str
    reason: str
    reason_code: str
    ring_duration_in_ms: int
    status: CallCompletedNotificationStatus
    machine_detection: str | Unset = UNSET
    session_id: str | Unset = UNSET
    additional_properties: dict[str, Any] = _attrs_field(init=False, factory=dict)

    def to_dict(self) -> dict[str, Any]:
        call_connect_time = self.call_connect_time.isoformat()

        call_disconnect_time = self.call_disconnect_time.isoformat()

        call_duration = self.call_duration

        connect_duration_in_ms = self.connect_duration_in_ms

        conversation_id = self.conversation_id

        reason = self.reason

        reason_code = self.reason_code

        ring_duration_in_ms = self.ring_duration_in_ms

        status = self.status.value

        machine_detection = self.machine_detection

        session_id = self.session_id

        field_dict: dict[str, Any] = {}
        field_dict.update(self.additional_properties)
        field_dict.update(
            {
                "callConnectTime": call_connect_time,
                "callDisconnectTime": call_disconnect_time,
                "callDuration": call_duration,
                "connectDurationInMS": connect_duration_in_ms,
                "conversationId": conversation_id,
                "reason": reason,
                "reasonCode": reason_code,
                "ringDurationInMS": ring_duration_in_ms,
                "status": status,
            }
        )
        if machine_detection is not UNSET:
            field_dict["machineDetection"] = machine_detection
        if session_id is not UNSET:
            field_dict["sessionId"] = session_id

        return field_dict

    @classmethod
    def from_dict(cls: type[T], src_dict: Mapping[str, Any]) -> T:
        d = dict(src_dict)
        call_connect_time = datetime.datetime.fromisoformat(d.pop("callConnectTime"))

        call_disconnect_time = datetime.datetime.fromisoformat(
            d.pop("callDisconnectTime")
        )

        call_duration = d.pop("callDuration")

        connect_duration_in_ms = d.pop("connectDurationInMS")

        conversation_id = d.pop("conversationId")

        reason = d.pop("reason")

        reason_code = d.pop("reasonCode")

        ring_duration_in_ms = d.pop("ringDurationInMS")

        status = CallCompletedNotificationStatus(d.pop("status"))

        machine_detection = d.pop("machineDetection", UNSET)

        session_id = d.pop("sessionId", UNSET)

        call_completed_notification = cls(
            call_connect_time=call_connect_time,
            call_disconnect_time=call_disconnect_time,
            call_duration=call_duration,
            connect_duration_in_ms=connect_duration_in_ms,
            conversation_id=conversation_id,
            reason=reason,
            reason_code=reason_code,
            ring_duration_in_ms=ring_duration_in_ms,
            status=status,
            machine_detection=machine_detection,
            session_id=session_id,
        )

        call_completed_notification.additional_properties = d
        return call_completed_notification

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
