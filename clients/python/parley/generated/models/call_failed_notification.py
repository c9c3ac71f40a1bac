from __future__ import annotations

import datetime
from collections.abc import Mapping
from typing import Any, TypeVar

from attrs import define as _attrs_define
from attrs import field as _attrs_field

from ..models.call_failed_notification_status import CallFailedNotificationStatus
from ..types import UNSET, Unset

T = TypeVar("T", bound="CallFailedNotification")


@_attrs_define
class CallFailedNotification:
    """
    Attributes:
        call_connect_time (datetime.datetime): The same as callDisconnectTime: nobody picked up.
        call_disconnect_time (datetime.datetime): When it was refused.
        conversation_id (str): callId of the dial-out.
        reason (str):
        reason_code (str):
        status (CallFailedNotificationStatus):
        connect_duration_in_ms (int | Unset): Absent of a call that was never dialled.
        ring_duration_in_ms (int | Unset): Absent of a call that was never dialled.
    """

    call_connect_time: datetime.datetime
    call_disconnect_time: datetime.datetime
    conversation_id: str
    reason: str
    reason_code: str
    status: CallFailedNotificationStatus
    connect_duration_in_ms: int | Unset = UNSET
    ring_duration_in_ms: int | Unset = UNSET
    additional_properties: dict[str, Any] = _attrs_field(init=False, factory=dict)

    def to_dict(self) -> dict[str, Any]:
        call_connect_time = self.call_connect_time.isoformat()

        call_disconnect_time = self.call_disconnect_time.isoformat()

        conversation_id = self.conversation_id

        reason = self.reason

        reason_code = self.reason_code

        status = self.status.value

        connect_duration_in_ms = self.connect_duration_in_ms

        ring_duration_in_ms = self.ring_duration_in_ms

        field_dict: dict[str, Any] = {}
        field_dict.update(self.additional_properties)
        field_dict.update(
            {
                "callConnectTime": call_connect_time,
                "callDisconnectTime": call_disconnect_time,
                "conversationId": conversation_id,
                "reason": reason,
                "reasonCode": reason_code,
                "status": status,
            }
        )
        if connect_duration_in_ms is not UNSET:
            field_dict["connectDurationInMS"] = connect_duration_in_ms
        if ring_duration_in_ms is not UNSET:
            field_dict["ringDurationInMS"] = ring_duration_in_ms

        return field_dict

    @classmethod
    def from_dict(cls: type[T], src_dict: Mapping[str, Any]) -> T:
        d = dict(src_dict)
        call_connect_time = datetime.datetime.fromisoformat(d.pop("callConnectTime"))

        call_disconnect_time = datetime.datetime.fromisoformat(
            d.pop("callDisconnectTime")
        )

        conversation_id = d.pop("conversationId")

        reason = d.pop("reason")

        reason_code = d.pop("reasonCode")

        status = CallFailedNotificationStatus(d.pop("status"))

        connect_duration_in_ms = d.pop("connectDurationInMS", UNSET)

        ring_duration_in_ms = d.pop("ringDurationInMS", UNSET)

        call_failed_notification = cls(
            call_connect_time=call_connect_time,
            call_disconnect_time=call_disconnect_time,
            conversation_id=conversation_id,
            reason=reason,
            reason_code=reason_code,
            status=status,
            connect_duration_in_ms=connect_duration_in_ms,
            ring_duration_in_ms=ring_duration_in_ms,
        )

        call_failed_notification.additional_properties = d
        return call_failed_notification

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
