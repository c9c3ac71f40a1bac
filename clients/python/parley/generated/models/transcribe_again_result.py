from __future__ import annotations

import datetime
from collections.abc import Mapping
from typing import Any, TypeVar

from attrs import define as _attrs_define
from attrs import field as _attrs_field

from ..models.transcribe_again_result_transcription_status import (
    TranscribeAgainResultTranscriptionStatus,
)

T = TypeVar("T", bound="TranscribeAgainResult")


@_attrs_define
class TranscribeAgainResult:
    """
    Attributes:
        asked_at (datetime.datetime):
        success (bool):
        transcription_status (TranscribeAgainResultTranscriptionStatus): get-voicemail shows what becomes of it.
        voicemail_id (str):
    """

    asked_at: datetime.datetime
    success: bool
    transcription_status: TranscribeAgainResultTranscriptionStatus
    voicemail_id: str
    additional_properties: dict[str, Any] = _attrs_field(init=False, factory=dict)

    def to_dict(self) -> dict[str, Any]:
        asked_at = self.asked_at.isoformat()

        success = self.success

        transcription_status = self.transcription_status.value

        voicemail_id = self.voicemail_id

        field_dict: dict[str, Any] = {}
        field_dict.update(self.additional_properties)
        field_dict.update(
            {
                "askedAt": asked_at,
                "success": success,
                "transcriptionStatus": transcription_status,
                "voicemailId": voicemail_id,
            }
        )

        return field_dict

    @classmethod
    def from_dict(cls: type[T], src_dict: Mapping[str, Any]) -> T:
        d = dict(src_dict)
        asked_at = datetime.datetime.fromisoformat(d.pop("askedAt"))

        success = d.pop("success")

        transcription_status = TranscribeAgainResultTranscriptionStatus(
            d.pop("transcriptionStatus")
        )

        voicemail_id = d.pop("voicemailId")

        transcribe_again_result = cls(
            asked_at=asked_at,
            success=success,
            transcription_status=transcription_status,
            voicemail_id=voicemail_id,
        )

        transcribe_again_result.additional_properties = d
        return transcribe_again_result

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
