from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, TypeVar, cast

from attrs import define as _attrs_define
from attrs import field as _attrs_field

from ..types import UNSET, Unset

if TYPE_CHECKING:
    from ..models.levels import Levels


T = TypeVar("T", bound="Sounded")


@_attrs_define
class Sounded:
    """
    Attributes:
        barge_ins (int):
        confidence (float | None):
        digit_turns (int):
        jitter_ms (float):
        late_packets (int):
        latency_ms (int | None): From the end of speech to the first sound of the answer.
        lost_frames (int):
        r_factor (float): By the E-model; 0: nothing was received.
        received_packets (int):
        silence_percent (float):
        turns (int):
        unread_turns (int): Turns of speech that nobody recognised.
        levels (Levels | Unset):
    """

    barge_ins: int
    confidence: float | None
    digit_turns: int
    jitter_ms: float
    late_packets: int
    latency_ms: int | None
    lost_frames: int
    r_factor: float
    received_packets: int
    silence_percent: float
    turns: int
    unread_turns: int
    levels: Levels | Unset = UNSET
    additional_properties: dict[str, Any] = _attrs_field(init=False, factory=dict)

    def to_dict(self) -> dict[str, Any]:
        barge_ins = self.barge_ins

        confidence: float | None
        confidence = self.confidence

        digit_turns = self.digit_turns

        jitter_ms = self.jitter_ms

        late_packets = self.late_packets

        latency_ms: int | None
        latency_ms = self.latency_ms

        lost_frames = self.lost_frames

        r_factor = self.r_factor

        received_packets = self.received_packets

        silence_percent = self.silence_percent

        turns = self.turns

        unread_turns = self.unread_turns

        levels: dict[str, Any] | Unset = UNSET
        if not isinstance(self.levels, Unset):
            levels = self.levels.to_dict()

        field_dict: dict[str, Any] = {}
        field_dict.update(self.additional_properties)
        field_dict.update(
            {
                "bargeIns": barge_ins,
                "confidence": confidence,
                "digitTurns": digit_turns,
                "jitterMs": jitter_ms,
                "latePackets": late_packets,
                "latencyMs": latency_ms,
                "lostFrames": lost_frames,
                "rFactor": r_factor,
                "receivedPackets": received_packets,
                "silencePercent": silence_percent,
                "turns": turns,
                "unreadTurns": unread_turns,
            }
        )
        if levels is not UNSET:
            field_dict["levels"] = levels

        return field_dict

    @classmethod
    def from_dict(cls: type[T], src_dict: Mapping[str, Any]) -> T:
        from ..models.levels import Levels  # noqa: PLC0415

        d = dict(src_dict)
        barge_ins = d.pop("bargeIns")

        def _parse_confidence(data: object) -> float | None:
            if data is None:
                return data
            return cast(float | None, data)

        confidence = _parse_confidence(d.pop("confidence"))

        digit_turns = d.pop("digitTurns")

        jitter_ms = d.pop("jitterMs")

        late_packets = d.pop("latePackets")

        def _parse_latency_ms(data: object) -> int | None:
            if data is None:
                return data
            return cast(int | None, data)

        latency_ms = _parse_latency_ms(d.pop("latencyMs"))

        lost_frames = d.pop("lostFrames")

        r_factor = d.pop("rFactor")

        received_packets = d.pop("receivedPackets")

        silence_percent = d.pop("silencePercent")

        turns = d.pop("turns")

        unread_turns = d.pop("unreadTurns")

        _levels = d.pop("levels", UNSET)
        levels: Levels | Unset
        if isinstance(_levels, Unset):
            levels = UNSET
        else:
            levels = Levels.from_dict(_levels)

        sounded = cls(
            barge_ins=barge_ins,
            confidence=confidence,
            digit_turns=digit_turns,
            jitter_ms=jitter_ms,
            late_packets=late_packets,
            latency_ms=latency_ms,
            lost_frames=lost_frames,
            r_factor=r_factor,
            received_packets=received_packets,
            silence_percent=silence_percent,
            turns=turns,
            unread_turns=unread_turns,
            levels=levels,
        )

        sounded.additional_properties = d
        return sounded

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
