from __future__ import annotations

import datetime
from collections.abc import Mapping
from typing import Any, TypeVar, cast

from attrs import define as _attrs_define
from attrs import field as _attrs_field

T = TypeVar("T", bound="VoiceHour")


@_attrs_define
class VoiceHour:
    """
    Attributes:
        avg_asr_score (float | None):
        avg_barge_in_rate (float | None):
        avg_call_duration_ms (float | None): Of those that were answered, from the answer on; null without any.
        avg_dtmf_fallback_rate (float | None):
        avg_e2e_latency_ms (float | None):
        avg_inbound_jitter_ms (float | None):
        avg_inbound_mos (float | None):
        avg_outbound_jitter_ms (float | None):
        avg_outbound_mos (float | None):
        avg_silence_percent (float | None):
        avg_tts_proxy_mos (float | None):
        error_count (int): Those of them that failed or were cut off by a fault.
        hour (datetime.datetime): When it begins, UTC. Hours in which no call ended and no agent said anything in one
            are left out.
        session_count (int): Calls that ended in this hour; 0 where some only went on.
        total_barge_in_count (int | None):
        total_dtmf_turn_count (int | None):
        total_turns (int): Turns of agents in this hour, also in calls that end in a later one.
    """

    avg_asr_score: float | None
    avg_barge_in_rate: float | None
    avg_call_duration_ms: float | None
    avg_dtmf_fallback_rate: float | None
    avg_e2e_latency_ms: float | None
    avg_inbound_jitter_ms: float | None
    avg_inbound_mos: float | None
    avg_outbound_jitter_ms: float | None
    avg_outbound_mos: float | None
    avg_silence_percent: float | None
    avg_tts_proxy_mos: float | None
    error_count: int
    hour: datetime.datetime
    session_count: int
    total_barge_in_count: int | None
    total_dtmf_turn_count: int | None
    total_turns: int
    additional_properties: dict[str, Any] = _attrs_field(init=False, factory=dict)

    def to_dict(self) -> dict[str, Any]:
        avg_asr_score: float | None
        avg_asr_score = self.avg_asr_score

        avg_barge_in_rate: float | None
        avg_barge_in_rate = self.avg_barge_in_rate

        avg_call_duration_ms: float | None
        avg_call_duration_ms = self.avg_call_duration_ms

        avg_dtmf_fallback_rate: float | None
        avg_dtmf_fallback_rate = self.avg_dtmf_fallback_rate

        avg_e2e_latency_ms: float | None
        avg_e2e_latency_ms = self.avg_e2e_latency_ms

        avg_inbound_jitter_ms: float | None
        avg_inbound_jitter_ms = self.avg_inbound_jitter_ms

        avg_inbound_mos: float | None
        avg_inbound_mos = self.avg_inbound_mos

        avg_outbound_jitter_ms: float | None
        avg_outbound_jitter_ms = self.avg_outbound_jitter_ms

        avg_outbound_mos: float | None
        avg_outbound_mos = self.avg_outbound_mos

        avg_silence_percent: float | None
        avg_silence_percent = self.avg_silence_percent

        avg_tts_proxy_mos: float | None
        avg_tts_proxy_mos = self.avg_tts_proxy_mos

        error_count = self.error_count

        hour = self.hour.isoformat()

        session_count = self.session_count

        total_barge_in_count: int | None
        total_barge_in_count = self.total_barge_in_count

        total_dtmf_turn_count: int | None
        total_dtmf_turn_count = self.total_dtmf_turn_count

        total_turns = self.total_turns

        field_dict: dict[str, Any] = {}
        field_dict.update(self.additional_properties)
        field_dict.update(
            {
                "avg_asr_score": avg_asr_score,
                "avg_barge_in_rate": avg_barge_in_rate,
                "avg_call_duration_ms": avg_call_duration_ms,
                "avg_dtmf_fallback_rate": avg_dtmf_fallback_rate,
                "avg_e2e_latency_ms": avg_e2e_latency_ms,
                "avg_inbound_jitter_ms": avg_inbound_jitter_ms,
                "avg_inbound_mos": avg_inbound_mos,
                "avg_outbound_jitter_ms": avg_outbound_jitter_ms,
                "avg_outbound_mos": avg_outbound_mos,
                "avg_silence_percent": avg_silence_percent,
                "avg_tts_proxy_mos": avg_tts_proxy_mos,
                "error_count": error_count,
                "hour": hour,
                "session_count": session_count,
                "total_barge_in_count": total_barge_in_count,
                "total_dtmf_turn_count": total_dtmf_turn_count,
                "total_turns": total_turns,
            }
        )

        return field_dict

    @classmethod
    def from_dict(cls: type[T], src_dict: Mapping[str, Any]) -> T:
        d = dict(src_dict)

        def _parse_avg_asr_score(data: object) -> float | None:
            if data is None:
                return data
            return cast(float | None, data)

        avg_asr_score = _parse_avg_asr_score(d.pop("avg_asr_score"))

        def _parse_avg_barge_in_rate(data: object) -> float | None:
            if data is None:
                return data
            return cast(float | None, data)

        avg_barge_in_rate = _parse_avg_barge_in_rate(d.pop("avg_barge_in_rate"))

        def _parse_avg_call_duration_ms(data: object) -> float | None:
            if data is None:
                return data
            return cast(float | None, data)

        avg_call_duration_ms = _parse_avg_call_duration_ms(
            d.pop("avg_call_duration_ms")
        )

        def _parse_avg_dtmf_fallback_rate(data: object) -> float | None:
            if data is None:
                return data
            return cast(float | None, data)

        avg_dtmf_fallback_rate = _parse_avg_dtmf_fallback_rate(
            d.pop("avg_dtmf_fallback_rate")
        )

        def _parse_avg_e2e_latency_ms(data: object) -> float | None:
            if data is None:
                return data
            return cast(float | None, data)

        avg_e2e_latency_ms = _parse_avg_e2e_latency_ms(d.pop("avg_e2e_latency_ms"))

        def _parse_avg_inbound_jitter_ms(data: object) -> float | None:
            if data is None:
                return data
            return cast(float | None, data)

        avg_inbound_jitter_ms = _parse_avg_inbound_jitter_ms(
            d.pop("avg_inbound_jitter_ms")
        )

        def _parse_avg_inbound_mos(data: object) -> float | None:
            if data is None:
                return data
            return cast(float | None, data)

        avg_inbound_mos = _parse_avg_inbound_mos(d.pop("avg_inbound_mos"))

        def _parse_avg_outbound_jitter_ms(data: object) -> float | None:
            if data is None:
                return data
            return cast(float | None, data)

        avg_outbound_jitter_ms = _parse_avg_outbound_jitter_ms(
            d.pop("avg_outbound_jitter_ms")
        )

        def _parse_avg_outbound_mos(data: object) -> float | None:
            if data is None:
                return data
            return cast(float | None, data)

        avg_outbound_mos = _parse_avg_outbound_mos(d.pop("avg_outbound_mos"))

        def _parse_avg_silence_percent(data: object) -> float | None:
            if data is None:
                return data
            return cast(float | None, data)

        avg_silence_percent = _parse_avg_silence_percent(d.pop("avg_silence_percent"))

        def _parse_avg_tts_proxy_mos(data: object) -> float | None:
            if data is None:
                return data
            return cast(float | None, data)

        avg_tts_proxy_mos = _parse_avg_tts_proxy_mos(d.pop("avg_tts_proxy_mos"))

        error_count = d.pop("error_count")

        hour = datetime.datetime.fromisoformat(d.pop("hour"))

        session_count = d.pop("session_count")

        def _parse_total_barge_in_count(data: object) -> int | None:
            if data is None:
                return data
            return cast(int | None, data)

        total_barge_in_count = _parse_total_barge_in_count(
            d.pop("total_barge_in_count")
        )

        def _parse_total_dtmf_turn_count(data: object) -> int | None:
            if data is None:
                return data
            return cast(int | None, data)

        total_dtmf_turn_count = _parse_total_dtmf_turn_count(
            d.pop("total_dtmf_turn_count")
        )

        total_turns = d.pop("total_turns")

        voice_hour = cls(
            avg_asr_score=avg_asr_score,
            avg_barge_in_rate=avg_barge_in_rate,
            avg_call_duration_ms=avg_call_duration_ms,
            avg_dtmf_fallback_rate=avg_dtmf_fallback_rate,
            avg_e2e_latency_ms=avg_e2e_latency_ms,
            avg_inbound_jitter_ms=avg_inbound_jitter_ms,
            avg_inbound_mos=avg_inbound_mos,
            avg_outbound_jitter_ms=avg_outbound_jitter_ms,
            avg_outbound_mos=avg_outbound_mos,
            avg_silence_percent=avg_silence_percent,
            avg_tts_proxy_mos=avg_tts_proxy_mos,
            error_count=error_count,
            hour=hour,
            session_count=session_count,
            total_barge_in_count=total_barge_in_count,
            total_dtmf_turn_count=total_dtmf_turn_count,
            total_turns=total_turns,
        )

        voice_hour.additional_properties = d
        return voice_hour

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
