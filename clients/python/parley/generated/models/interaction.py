from __future__ import annotations

import datetime
from collections.abc import Mapping
from typing import Any, TypeVar

from attrs import define as _attrs_define
from attrs import field as _attrs_field

from ..models.interaction_status import InteractionStatus
from ..types import UNSET, Unset

T = TypeVar("T", bound="Interaction")


@_attrs_define
class Interaction:
    """
    Attributes:
        center_id (str): Our end: the caller of a dial-out, the number that was called, the name of a room.
        channel (str):
        conversation_id (str):
        direction (str):
        requested_at (datetime.datetime):
        status (InteractionStatus): The Status column; machineDetected when machineDetection was disconnect and a
            machine or its beep was found.
        user_id (str): The other end.
        agent_name (str | Unset):
        duration_ms (int | Unset):
        ended_at (datetime.datetime | Unset):
        machine_detection (str | Unset): The verdict of answering machine detection.
        provider (str | Unset): Who carries the call: local is the simulated carrier, livekit has rooms, webrtc is a
            page that calls the node itself.
        provider_call_id (str | Unset): What the provider calls a call that it brought.
        provider_status (str | Unset): What the provider said last of such a call, in its own word.
        reason (str | Unset):
        reason_code (str | Unset):
        session_id (str | Unset):
        started_at (datetime.datetime | Unset):
    """

    center_id: str
    channel: str
    conversation_id: str
    direction: str
    requested_at: datetime.datetime
    status: InteractionStatus
    user_id: str
    agent_name: str | Unset = UNSET
    duration_ms: int | Unset = UNSET
    ended_at: datetime.datetime | Unset = UNSET
    machine_detection: str | Unset = UNSET
    provider: str | Unset = UNSET
    provider_call_id: str | Unset = UNSET
    provider_status: str | Unset = UNSET
    reason: str | Unset = UNSET
    reason_code: str | Unset = UNSET
    session_id: str | Unset = UNSET
    started_at: datetime.datetime | Unset = UNSET
    additional_properties: dict[str, Any] = _attrs_field(init=False, factory=dict)

    def to_dict(self) -> dict[str, Any]:
        center_id = self.center_id

        channel = self.channel

        conversation_id = self.conversation_id

        direction = self.direction

        requested_at = self.requested_at.isoformat()

        status = self.status.value

        user_id = self.user_id

        agent_name = self.agent_name

        duration_ms = self.duration_ms

        ended_at: str | Unset = UNSET
        if not isinstance(self.ended_at, Unset):
            ended_at = self.ended_at.isoformat()

        machine_detection = self.machine_detection

        provider = self.provider

        provider_call_id = self.provider_call_id

        provider_status = self.provider_status

        reason = self.reason

        reason_code = self.reason_code

        session_id = self.session_id

        started_at: str | Unset = UNSET
        if not isinstance(self.started_at, Unset):
            started_at = self.started_at.isoformat()

        field_dict: dict[str, Any] = {}
        field_dict.update(self.additional_properties)
        field_dict.update(
            {
                "centerId": center_id,
                "channel": channel,
                "conversationId": conversation_id,
                "direction": direction,
                "requestedAt": requested_at,
                "status": status,
                "userId": user_id,
            }
        )
        if agent_name is not UNSET:
            field_dict["agentName"] = agent_name
        if duration_ms is not UNSET:
            field_dict["durationMs"] = duration_ms
        if ended_at is not UNSET:
            field_dict["endedAt"] = ended_at
        if machine_detection is not UNSET:
            field_dict["machineDetection"] = machine_detection
        if provider is not UNSET:
            field_dict["provider"] = provider
        if provider_call_id is not UNSET:
            field_dict["providerCallId"] = provider_call_id
        if provider_status is not UNSET:
            field_dict["providerStatus"] = provider_status
        if reason is not UNSET:
            field_dict["reason"] = reason
        if reason_code is not UNSET:
            field_dict["reasonCode"] = reason_code
        if session_id is not UNSET:
            field_dict["sessionId"] = session_id
        if started_at is not UNSET:
            field_dict["startedAt"] = started_at

        return field_dict

    @classmethod
    def from_dict(cls: type[T], src_dict: Mapping[str, Any]) -> T:
        d = dict(src_dict)
        center_id = d.pop("centerId")

        channel = d.pop("channel")

        conversation_id = d.pop("conversationId")

        direction = d.pop("direction")

        requested_at = datetime.datetime.fromisoformat(d.pop("requestedAt"))

        status = InteractionStatus(d.pop("status"))

        user_id = d.pop("userId")

        agent_name = d.pop("agentName", UNSET)

        duration_ms = d.pop("durationMs", UNSET)

        _ended_at = d.pop("endedAt", UNSET)
        ended_at: datetime.datetime | Unset
        if isinstance(_ended_at, Unset):
            ended_at = UNSET
        else:
            ended_at = datetime.datetime.fromisoformat(_ended_at)

        machine_detection = d.pop("machineDetection", UNSET)

        provider = d.pop("provider", UNSET)

        provider_call_id = d.pop("providerCallId", UNSET)

        provider_status = d.pop("providerStatus", UNSET)

        reason = d.pop("reason", UNSET)

        reason_code = d.pop("reasonCode", UNSET)

        session_id = d.pop("sessionId", UNSET)

        _started_at = d.pop("startedAt", UNSET)
        started_at: datetime.datetime | Unset
        if isinstance(_started_at, Unset):
            started_at = UNSET
        else:
            started_at = datetime.datetime.fromisoformat(_started_at)

        interaction = cls(
            center_id=center_id,
            channel=channel,
            conversation_id=conversation_id,
            direction=direction,
            requested_at=requested_at,
            status=status,
            user_id=user_id,
            agent_name=agent_name,
            duration_ms=duration_ms,
            ended_at=ended_at,
            machine_detection=machine_detection,
            provider=provider,
            provider_call_id=provider_call_id,
            provider_status=provider_status,
            reason=reason,
            reason_code=reason_code,
            session_id=session_id,
            started_at=started_at,
        )

        interaction.additional_properties = d
        return interaction

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
