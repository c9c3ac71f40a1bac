from __future__ import annotations

from collections.abc import Mapping
from typing import Any, TypeVar

from attrs import define as _attrs_define
from attrs import field as _attrs_field

from ..models.voicemail_file_transcription_status import (
    VoicemailFileTranscriptionStatus,
)

T = TypeVar("T", bound="VoicemailFile")


@_attrs_define
class VoicemailFile:
    """
    Attributes:
        file_name (str):
        file_url (str): Downloads the recording, without any credential, for an hour from now.
        transcription_status (VoicemailFileTranscriptionStatus): An addition of this service.
        voicemail_id (str): Id of the voicemail; an addition of this service.
    """

    file_name: str
    file_url: str
    transcription_status: VoicemailFileTranscriptionStatus
    voicemail_id: str
    additional_properties: dict[str, Any] = _attrs_field(init=False, factory=dict)

    def to_dict(self) -> dict[str, Any]:
        file_name = self.file_name

        file_url = self.file_url

        transcription_status = self.transcription_status.value

        voicemail_id = self.voicemail_id

        field_dict: dict[str, Any] = {}
        field_dict.update(self.additional_properties)
        field_dict.update(
            {
                "fileName": file_name,
                "fileUrl": file_url,
                "transcriptionStatus": transcription_status,
                "voicemailId": voicemail_id,
            }
        )

        return field_dict

    @classmethod
    def from_dict(cls: type[T], src_dict: Mapping[str, Any]) -> T:
        d = dict(src_dict)
        file_name = d.pop("fileName")

        file_url = d.pop("fileUrl")

        transcription_status = VoicemailFileTranscriptionStatus(
            d.pop("transcriptionStatus")
        )

        voicemail_id = d.pop("voicemailId")

        voicemail_file = cls(
            file_name=file_name,
            file_url=file_url,
            transcription_status=transcription_status,
            voicemail_id=voicemail_id,
        )

        voicemail_file.additional_properties = d
        return voicemail_file

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
