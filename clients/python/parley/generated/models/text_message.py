from __future__ import annotations

import datetime
from collections.abc import Mapping
from typing import Any, TypeVar

from attrs import define as _attrs_define
from attrs import field as _attrs_field

from ..models.text_message_status import TextMessageStatus
from ..types import UNSET, Unset

T = TypeVar("T", bound="TextMessage")


@_attrs_define
class TextMessage:
    """
    Attributes:
        attempts (int): How often a provider was asked.
        from_ (str):
        message_id (str):
        requested_at (datetime.datetime):
        send_by (datetime.datetime): No attempt is begun after it.
        status (TextMessageStatus): sent: a provider has taken it. sending: a provider is being asked, or its answer is
            in doubt.
        text (str):
        to (str): The recipient, E.164.
        campaign_id (str | Unset):
        campaign_instance_id (str | Unset):
        code (str | Unset): Of the failure, or of the refusal before the next attempt: the provider's own code, EXPIRED
            or OUTCOME_UNKNOWN.
        contact_index (int | Unset): Of the contact in the campaign's run, from 0.
        ended_at (datetime.datetime | Unset):
        provider (str | Unset): local: recorded, and sent to nobody.
        provider_message_id (str | Unset):
        reason (str | Unset):
        segments (int | Unset): Parts that the message is billed as.
    """

    attempts: int
    from_: str
    message_id: str
    requested_at: datetime.datetime
    send_by: datetime.datetime
    status: TextMessageStatus
    text: str
    to: str
    campaign_id: str | Unset = UNSET
    campaign_instance_id: str | Unset = UNSET
    code: str | Unset = UNSET
    contact_index: int | Unset = UNSET
    ended_at: datetime.datetime | Unset = UNSET
    provider: str | Unset = UNSET
    provider_message_id: str | Unset = UNSET
    reason: str | Unset = UNSET
    segments: int | Unset = UNSET
    additional_properties: dict[str, Any] = _attrs_field(init=False, factory=dict)

    def to_dict(self) -> dict[str, Any]:
        attempts = self.attempts

        from_ = self.from_

        message_id = self.message_id

        requested_at = self.requested_at.isoformat()

        send_by = self.send_by.isoformat()

        status = self.status.value

        text = self.text

        to = self.to

        campaign_id = self.campaign_id

        campaign_instance_id = self.campaign_instance_id

        code = self.code

        contact_index = self.contact_index

        ended_at: str | Unset = UNSET
        if not isinstance(self.ended_at, Unset):
            ended_at = self.ended_at.isoformat()

        provider = self.provider

        provider_message_id = self.provider_message_id

        reason = self.reason

        segments = self.segments

        field_dict: dict[str, Any] = {}
        field_dict.update(self.additional_properties)
        field_dict.update(
            {
                "attempts": attempts,
                "from": from_,
                "messageId": message_id,
                "requestedAt": requested_at,
                "sendBy": send_by,
                "status": status,
                "text": text,
                "to": to,
            }
        )
        if campaign_id is not UNSET:
            field_dict["campaignId"] = campaign_id
        if campaign_instance_id is not UNSET:
            field_dict["campaignInstanceId"] = campaign_instance_id
        if code is not UNSET:
            field_dict["code"] = code
        if contact_index is not UNSET:
            field_dict["contactIndex"] = contact_index
        if ended_at is not UNSET:
            field_dict["endedAt"] = ended_at
        if provider is not UNSET:
            field_dict["provider"] = provider
        if provider_message_id is not UNSET:
            field_dict["providerMessageId"] = provider_message_id
        if reason is not UNSET:
            field_dict["reason"] = reason
        if segments is not UNSET:
            field_dict["segments"] = segments

        return field_dict

    @classmethod
    def from_dict(cls: type[T], src_dict: Mapping[str, Any]) -> T:
        d = dict(src_dict)
        attempts = d.pop("attempts")

        from_ = d.pop("from")

        message_id = d.pop("messageId")

        requested_at = datetime.datetime.fromisoformat(d.pop("requestedAt"))

        send_by = datetime.datetime.fromisoformat(d.pop("sendBy"))

        status = TextMessageStatus(d.pop("status"))

        text = d.pop("text")

        to = d.pop("to")

        campaign_id = d.pop("campaignId", UNSET)

        campaign_instance_id = d.pop("campaignInstanceId", UNSET)

        code = d.pop("code", UNSET)

        contact_index = d.pop("contactIndex", UNSET)

        _ended_at = d.pop("endedAt", UNSET)
        ended_at: datetime.datetime | Unset
        if isinstance(_ended_at, Unset):
            ended_at = UNSET
        else:
            ended_at = datetime.datetime.fromisoformat(_ended_at)

        provider = d.pop("provider", UNSET)

        provider_message_id = d.pop("providerMessageId", UNSET)

        reason = d.pop("reason", UNSET)

        segments = d.pop("segments", UNSET)

        text_message = cls(
            attempts=attempts,
            from_=from_,
            message_id=message_id,
            requested_at=requested_at,
            send_by=send_by,
            status=status,
            text=text,
            to=to,
            campaign_id=campaign_id,
            campaign_instance_id=campaign_instance_id,
            code=code,
            contact_index=contact_index,
            ended_at=ended_at,
            provider=provider,
            provider_message_id=provider_message_id,
            reason=reason,
            segments=segments,
        )

        text_message.additional_properties = d
        return text_message

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
