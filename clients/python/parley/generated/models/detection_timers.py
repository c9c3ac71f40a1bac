from __future__ import annotations

from collections.abc import Mapping
from typing import Any, TypeVar

from attrs import define as _attrs_define
from attrs import field as _attrs_field

from ..types import UNSET, Unset

T = TypeVar("T", bound="DetectionTimers")


@_attrs_define
class DetectionTimers:
    """
    Attributes:
        decision_timeout_ms (int | Unset): Wait before amd_decision_timeout: 1 to 60,000 ms, 15,000 when absent.
        greeting_completion_timeout_ms (int | Unset): Silence during a greeting before amd_machine_stopped_speaking: 1
            to 60,000 ms, 2,000 when absent.
        no_speech_timeout_ms (int | Unset): Wait for speech before amd_no_speech_detected: 1 to 60,000 ms, 5,000 when
            absent.
        tone_timeout_ms (int | Unset): Wait for a beep: 1 to 60,000 ms, 20,000 when absent.
    """

    decision_timeout_ms: int | Unset = UNSET
    greeting_completion_timeout_ms: int | Unset = UNSET
    no_speech_timeout_ms: int | Unset = UNSET
    tone_timeout_ms: int | Unset = UNSET
    additional_properties: dict[str, Any] = _attrs_field(init=False, factory=dict)

    def to_dict(self) -> dict[str, Any]:
        decision_timeout_ms = self.decision_timeout_ms

        greeting_completion_timeout_ms = self.greeting_completion_timeout_ms

        no_speech_timeout_ms = self.no_speech_timeout_ms

        tone_timeout_ms = self.tone_timeout_ms

        field_dict: dict[str, Any] = {}
        field_dict.update(self.additional_properties)
        field_dict.update({})
        if decision_timeout_ms is not UNSET:
            field_dict["decisionTimeoutMs"] = decision_timeout_ms
        if greeting_completion_timeout_ms is not UNSET:
            field_dict["greetingCompletionTimeoutMs"] = greeting_completion_timeout_ms
        if no_speech_timeout_ms is not UNSET:
            field_dict["noSpeechTimeoutMs"] = no_speech_timeout_ms
        if tone_timeout_ms is not UNSET:
            field_dict["toneTimeoutMs"] = tone_timeout_ms

        return field_dict

    @classmethod
    def from_dict(cls: type[T], src_dict: Mapping[str, Any]) -> T:
        d = dict(src_dict)
        decision_timeout_ms = d.pop("decisionTimeoutMs", UNSET)

        greeting_completion_timeout_ms = d.pop("greetingCompletionTimeoutMs", UNSET)

        no_speech_timeout_ms = d.pop("noSpeechTimeoutMs", UNSET)

        tone_timeout_ms = d.pop("toneTimeoutMs", UNSET)

        detection_timers = cls(
            decision_timeout_ms=decision_timeout_ms,
            greeting_completion_timeout_ms=greeting_completion_timeout_ms,
            no_speech_timeout_ms=no_speech_timeout_ms,
            tone_timeout_ms=tone_timeout_ms,
        )

        detection_timers.additional_properties = d
        return detection_timers

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
