from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, TypeVar

from attrs import define as _attrs_define
from attrs import field as _attrs_field

from ..models.voicemail_result_status import VoicemailResultStatus

if TYPE_CHECKING:
    from ..models.voicemail_file import VoicemailFile
    from ..models.voicemail_message import VoicemailMessage


T = TypeVar("T", bound="VoicemailResult")


@_attrs_define
class VoicemailResult:
    """
    Attributes:
        status (VoicemailResultStatus):
        transcriptions (list[VoicemailMessage]): With transcription=true: one message per recording whose transcript is
            there.
        voicemail_recording (list[VoicemailFile]): The recordings, oldest first.
    """

    status: VoicemailResultStatus
    transcriptions: list[VoicemailMessage]
    voicemail_recording: list[VoicemailFile]
    additional_properties: dict[str, Any] = _attrs_field(init=False, factory=dict)

    def to_dict(self) -> dict[str, Any]:
        status = self.status.value

        transcriptions = []
        for transcriptions_item_data in self.transcriptions:
            transcriptions_item = transcriptions_item_data.to_dict()
            transcriptions.append(transcriptions_item)

        voicemail_recording = []
        for voicemail_recording_item_data in self.voicemail_recording:
            voicemail_recording_item = voicemail_recording_item_data.to_dict()
            voicemail_recording.append(voicemail_recording_item)

        field_dict: dict[str, Any] = {}
        field_dict.update(self.additional_properties)
        field_dict.update(
            {
                "status": status,
                "transcriptions": transcriptions,
                "voicemail_recording": voicemail_recording,
            }
        )

        return field_dict

    @classmethod
    def from_dict(cls: type[T], src_dict: Mapping[str, Any]) -> T:
        from ..models.voicemail_file import VoicemailFile  # noqa: PLC0415
        from ..models.voicemail_message import VoicemailMessage  # noqa: PLC0415

        d = dict(src_dict)
        status = VoicemailResultStatus(d.pop("status"))

        transcriptions = []
        _transcriptions = d.pop("transcriptions")
        for transcriptions_item_data in _transcriptions:
            transcriptions_item = VoicemailMessage.from_dict(transcriptions_item_data)

            transcriptions.append(transcriptions_item)

        voicemail_recording = []
        _voicemail_recording = d.pop("voicemail_recording")
        for voicemail_recording_item_data in _voicemail_recording:
            voicemail_recording_item = VoicemailFile.from_dict(
                voicemail_recording_item_data
            )

            voicemail_recording.append(voicemail_recording_item)

        voicemail_result = cls(
            status=status,
            transcriptions=transcriptions,
            voicemail_recording=voicemail_recording,
        )

        voicemail_result.additional_properties = d
        return voicemail_result

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
