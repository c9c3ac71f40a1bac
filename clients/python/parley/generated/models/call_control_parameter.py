from __future__ import annotations

from collections.abc import Mapping
from typing import Any, TypeVar

from attrs import define as _attrs_define
from attrs import field as _attrs_field

from ..types import UNSET, Unset

T = TypeVar("T", bound="CallControlParameter")


@_attrs_define
class CallControlParameter:
    """
    Attributes:
        continuous_asr_timeout_in_ms (int | Unset): Silence before recognition stops: 0 to 600,000 ms.
        deepgram_endpointing (int | Unset): Silence for endpointing: 0 to 600,000 ms.
        deepgram_utterance_end_ms (int | Unset): Silence that ends an utterance: 0 to 600,000 ms.
        interim (bool | Unset): Return interim transcripts.
        stt_label (str | Unset): At most 128 characters.
        stt_language (str | Unset): Required. A language tag, such as en-US.
        stt_provider (str | Unset): Required. At most 128 characters.
    """

    continuous_asr_timeout_in_ms: int | Unset = UNSET
    deepgram_endpointing: int | Unset = UNSET
    deepgram_utterance_end_ms: int | Unset = UNSET
    interim: bool | Unset = UNSET
    stt_label: str | Unset = UNSET
    stt_language: str | Unset = UNSET
    stt_provider: str | Unset = UNSET
    additional_properties: dict[str, Any] = _attrs_field(init=False, factory=dict)

    def to_dict(self) -> dict[str, Any]:
        continuous_asr_timeout_in_ms = self.continuous_asr_timeout_in_ms

        deepgram_endpointing = self.deepgram_endpointing

        deepgram_utterance_end_ms = self.deepgram_utterance_end_ms

        interim = self.interim

        stt_label = self.stt_label

        stt_language = self.stt_language

        stt_provider = self.stt_provider

        field_dict: dict[str, Any] = {}
        field_dict.update(self.additional_properties)
        field_dict.update({})
        if continuous_asr_timeout_in_ms is not UNSET:
            field_dict["continuousASRTimeoutInMS"] = continuous_asr_timeout_in_ms
        if deepgram_endpointing is not UNSET:
            field_dict["deepgramEndpointing"] = deepgram_endpointing
        if deepgram_utterance_end_ms is not UNSET:
            field_dict["deepgramUtteranceEndMs"] = deepgram_utterance_end_ms
        if interim is not UNSET:
            field_dict["interim"] = interim
        if stt_label is not UNSET:
            field_dict["sttLabel"] = stt_label
        if stt_language is not UNSET:
            field_dict["sttLanguage"] = stt_language
        if stt_provider is not UNSET:
            field_dict["sttProvider"] = stt_provider

        return field_dict

    @classmethod
    def from_dict(cls: type[T], src_dict: Mapping[str, Any]) -> T:
        d = dict(src_dict)
        continuous_asr_timeout_in_ms = d.pop("continuousASRTimeoutInMS", UNSET)

        deepgram_endpointing = d.pop("deepgramEndpointing", UNSET)

        deepgram_utterance_end_ms = d.pop("deepgramUtteranceEndMs", UNSET)

        interim = d.pop("interim", UNSET)

        stt_label = d.pop("sttLabel", UNSET)

        stt_language = d.pop("sttLanguage", UNSET)

        stt_provider = d.pop("sttProvider", UNSET)

        call_control_parameter = cls(
            continuous_asr_timeout_in_ms=continuous_asr_timeout_in_ms,
            deepgram_endpointing=deepgram_endpointing,
            deepgram_utterance_end_ms=deepgram_utterance_end_ms,
            interim=interim,
            stt_label=stt_label,
            stt_language=stt_language,
            stt_provider=stt_provider,
        )

        call_control_parameter.additional_properties = d
        return call_control_parameter

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
