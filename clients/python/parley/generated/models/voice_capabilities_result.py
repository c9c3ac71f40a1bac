from __future__ import annotations

from collections.abc import Mapping
from typing import Any, TypeVar

from attrs import define as _attrs_define
from attrs import field as _attrs_field

T = TypeVar("T", bound="VoiceCapabilitiesResult")


@_attrs_define
class VoiceCapabilitiesResult:
    """
    Attributes:
        full_voice (bool): Telephony, stt and tts.
        pages (bool): Pages call this server itself (extension).
        stt (bool):
        success (bool):
        telephony (bool):
        tts (bool):
    """

    full_voice: bool
    pages: bool
    stt: bool
    success: bool
    telephony: bool
    tts: bool
    additional_properties: dict[str, Any] = _attrs_field(init=False, factory=dict)

    def to_dict(self) -> dict[str, Any]:
        full_voice = self.full_voice

        pages = self.pages

        stt = self.stt

        success = self.success

        telephony = self.telephony

        tts = self.tts

        field_dict: dict[str, Any] = {}
        field_dict.update(self.additional_properties)
        field_dict.update(
            {
                "fullVoice": full_voice,
                "pages": pages,
                "stt": stt,
                "success": success,
                "telephony": telephony,
                "tts": tts,
            }
        )

        return field_dict

    @classmethod
    def from_dict(cls: type[T], src_dict: Mapping[str, Any]) -> T:
        d = dict(src_dict)
        full_voice = d.pop("fullVoice")

        pages = d.pop("pages")

        stt = d.pop("stt")

        success = d.pop("success")

        telephony = d.pop("telephony")

        tts = d.pop("tts")

        voice_capabilities_result = cls(
            full_voice=full_voice,
            pages=pages,
            stt=stt,
            success=success,
            telephony=telephony,
            tts=tts,
        )

        voice_capabilities_result.additional_properties = d
        return voice_capabilities_result

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
