from __future__ import annotations

from collections.abc import Mapping
from typing import Any, TypeVar, cast

from attrs import define as _attrs_define
from attrs import field as _attrs_field

T = TypeVar("T", bound="VoiceSummary")


@_attrs_define
class VoiceSummary:
    """
    Attributes:
        avg_call_duration_ms (float | None): Of those that were answered, from the answer on; null without any.
        overall_asr_score (float | None):
        overall_avg_inbound_mos (float | None):
        overall_avg_latency_ms (float | None):
        overall_avg_outbound_mos (float | None):
        overall_barge_in_rate (float | None):
        overall_dtmf_fallback_rate (float | None):
        total_barge_in_count (int | None):
        total_calls (int): Calls that ended.
        total_dtmf_turn_count (int | None):
        total_errors (int): Those of them that failed or were cut off by a fault.
        total_turns (int): Turns of agents.
    """

    avg_call_duration_ms: float | None
    overall_asr_score: float | None
    overall_avg_inbound_mos: float | None
    overall_avg_latency_ms: float | None
    overall_avg_outbound_mos: float | None
    overall_barge_in_rate: float | None
    overall_dtmf_fallback_rate: float | None
    total_barge_in_count: int | None
    total_calls: int
    total_dtmf_turn_count: int | None
    total_errors: int
    total_turns: int
    additional_properties: dict[str, Any] = _attrs_field(init=False, factory=dict)

    def to_dict(self) -> dict[str, Any]:
        avg_call_duration_ms: float | None
        avg_call_duration_ms = self.avg_call_duration_ms

        overall_asr_score: float | None
        overall_asr_score = self.overall_asr_score

        overall_avg_inbound_mos: float | None
        overall_avg_inbound_mos = self.overall_avg_inbound_mos

        overall_avg_latency_ms: float | None
        overall_avg_latency_ms = self.overall_avg_latency_ms

        overall_avg_outbound_mos: float | None
        overall_avg_outbound_mos = self.overall_avg_outbound_mos

        overall_barge_in_rate: float | None
        overall_barge_in_rate = self.overall_barge_in_rate

        overall_dtmf_fallback_rate: float | None
        overall_dtmf_fallback_rate = self.overall_dtmf_fallback_rate

        total_barge_in_count: int | None
        total_barge_in_count = self.total_barge_in_count

        total_calls = self.total_calls

        total_dtmf_turn_count: int | None
        total_dtmf_turn_count = self.total_dtmf_turn_count

        total_errors = self.total_errors

        total_turns = self.total_turns

        field_dict: dict[str, Any] = {}
        field_dict.update(self.additional_properties)
        field_dict.update(
            {
                "avg_call_duration_ms": avg_call_duration_ms,
                "overall_asr_score": overall_asr_score,
                "overall_avg_inbound_mos": overall_avg_inbound_mos,
                "overall_avg_latency_ms": overall_avg_latency_ms,
                "overall_avg_outbound_mos": overall_avg_outbound_mos,
                "overall_barge_in_rate": overall_barge_in_rate,
                "overall_dtmf_fallback_rate": overall_dtmf_fallback_rate,
                "total_barge_in_count": total_barge_in_count,
                "total_calls": total_calls,
                "total_dtmf_turn_count": total_dtmf_turn_count,
                "total_errors": total_errors,
                "total_turns": total_turns,
            }
        )

        return field_dict

    @classmethod
    def from_dict(cls: type[T], src_dict: Mapping[str, Any]) -> T:
        d = dict(src_dict)

        def _parse_avg_call_duration_ms(data: object) -> float | None:
            if data is None:
                return data
            return cast(float | None, data)

        avg_call_duration_ms = _parse_avg_call_duration_ms(
            d.pop("avg_call_duration_ms")
        )

        def _parse_overall_asr_score(data: object) -> float | None:
            if data is None:
                return data
            return cast(float | None, data)

        overall_asr_score = _parse_overall_asr_score(d.pop("overall_asr_score"))

        def _parse_overall_avg_inbound_mos(data: object) -> float | None:
            if data is None:
                return data
            return cast(float | None, data)

        overall_avg_inbound_mos = _parse_overall_avg_inbound_mos(
            d.pop("overall_avg_inbound_mos")
        )

        def _parse_overall_avg_latency_ms(data: object) -> float | None:
            if data is None:
                return data
            return cast(float | None, data)

        overall_avg_latency_ms = _parse_overall_avg_latency_ms(
            d.pop("overall_avg_latency_ms")
        )

        def _parse_overall_avg_outbound_mos(data: object) -> float | None:
            if data is None:
                return data
            return cast(float | None, data)

        overall_avg_outbound_mos = _parse_overall_avg_outbound_mos(
            d.pop("overall_avg_outbound_mos")
        )

        def _parse_overall_barge_in_rate(data: object) -> float | None:
            if data is None:
                return data
            return cast(float | None, data)

        overall_barge_in_rate = _parse_overall_barge_in_rate(
            d.pop("overall_barge_in_rate")
        )

        def _parse_overall_dtmf_fallback_rate(data: object) -> float | None:
            if data is None:
                return data
            return cast(float | None, data)

        overall_dtmf_fallback_rate = _parse_overall_dtmf_fallback_rate(
            d.pop("overall_dtmf_fallback_rate")
        )

        def _parse_total_barge_in_count(data: object) -> int | None:
            if data is None:
                return data
            return cast(int | None, data)

        total_barge_in_count = _parse_total_barge_in_count(
            d.pop("total_barge_in_count")
        )

        total_calls = d.pop("total_calls")

        def _parse_total_dtmf_turn_count(data: object) -> int | None:
            if data is None:
                return data
            return cast(int | None, data)

        total_dtmf_turn_count = _parse_total_dtmf_turn_count(
            d.pop("total_dtmf_turn_count")
        )

        total_errors = d.pop("total_errors")

        total_turns = d.pop("total_turns")

        voice_summary = cls(
            avg_call_duration_ms=avg_call_duration_ms,
            overall_asr_score=overall_asr_score,
            overall_avg_inbound_mos=overall_avg_inbound_mos,
            overall_avg_latency_ms=overall_avg_latency_ms,
            overall_avg_outbound_mos=overall_avg_outbound_mos,
            overall_barge_in_rate=overall_barge_in_rate,
            overall_dtmf_fallback_rate=overall_dtmf_fallback_rate,
            total_barge_in_count=total_barge_in_count,
            total_calls=total_calls,
            total_dtmf_turn_count=total_dtmf_turn_count,
            total_errors=total_errors,
            total_turns=total_turns,
        )

        voice_summary.additional_properties = d
        return voice_summary

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
