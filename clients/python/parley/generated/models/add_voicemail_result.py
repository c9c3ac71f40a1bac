from __future__ import annotations

import datetime
from collections.abc import Mapping
from typing import Any, TypeVar

from attrs import define as _attrs_define
from attrs import field as _attrs_field

from ..types import UNSET, Unset

T = TypeVar("T", bound="AddVoicemailResult")


@_attrs_define
class AddVoicemailResult:
    """
    Attributes:
        content_type (str):
        file_name (str):
        recorded_at (datetime.datetime):
        session_id (str):
        size_bytes (int):
        success (bool):
        voicemail_id (str):
        duration_ms (int | Unset): Absent where the recording does not say.
    """

    content_type: str
    file_name: str
    recorded_at: datetime.datetime
    session_id: str
    size_bytes: int
    success: bool
    voicemail_id: str
    duration_ms: int | Unset = UNSET
    additional_properties: dict[str, Any] = _attrs_field(init=False, factory=dict)

    def to_dict(self) -> dict[str, Any]:
        content_type = self.content_type

        file_name = self.file_name

        recorded_at = self.recorded_at.isoformat()

        session_id = self.session_id

        size_bytes = self.size_bytes

        success = self.success

        voicemail_id = self.voicemail_id

        duration_ms = self.duration_ms

        field_dict: dict[str, Any] = {}
        field_dict.update(self.additional_properties)
        field_dict.update(
            {
                "contentType": content_type,
                "fileName": file_name,
                "recordedAt": recorded_at,
                "sessionId": session_id,
                "sizeBytes": size_bytes,
                "success": success,
                "voicemailId": voicemail_id,
            }
        )
        if duration_ms is not UNSET:
            field_dict["durationMs"] = duration_ms

        return field_dict

    @classmethod
    def from_dict(cls: type[T], src_dict: Mapping[str, Any]) -> T:
        d = dict(src_dict)
        content_type = d.pop("contentType")

        file_name = d.pop("fileName")

        recorded_at = datetime.datetime.fromisoformat(d.pop("recordedAt"))

        session_id = d.pop("sessionId")

        size_bytes = d.pop("sizeBytes")

        success = d.pop("success")

        voicemail_id = d.pop("voicemailId")

        duration_ms = d.pop("durationMs", UNSET)

        add_voicemail_result = cls(
            content_type=content_type,
            file_name=file_name,
            recorded_at=recorded_at,
            session_id=session_id,
            size_bytes=size_bytes,
            success=success,
            voicemail_id=voicemail_id,
            duration_ms=duration_ms,
        )

        add_voicemail_result.additional_properties = d
        return add_voicemail_result

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
