from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, TypeVar

from attrs import define as _attrs_define
from attrs import field as _attrs_field

from ..types import UNSET, Unset

if TYPE_CHECKING:
    from ..models.replay_difference import ReplayDifference
    from ..models.replay_versions import ReplayVersions


T = TypeVar("T", bound="Replay")


@_attrs_define
class Replay:
    """
    Attributes:
        decisions (int): In them: for messages, and for what came of calls.
        passed (int): Decisions that could not be made again; they are taken as they were.
        same (bool):
        turns (int): That were decided again.
        versions (ReplayVersions): By which they were decided, of each agent.
        difference (ReplayDifference | Unset):
    """

    decisions: int
    passed: int
    same: bool
    turns: int
    versions: ReplayVersions
    difference: ReplayDifference | Unset = UNSET
    additional_properties: dict[str, Any] = _attrs_field(init=False, factory=dict)

    def to_dict(self) -> dict[str, Any]:
        decisions = self.decisions

        passed = self.passed

        same = self.same

        turns = self.turns

        versions = self.versions.to_dict()

        difference: dict[str, Any] | Unset = UNSET
        if not isinstance(self.difference, Unset):
            difference = self.difference.to_dict()

        field_dict: dict[str, Any] = {}
        field_dict.update(self.additional_properties)
        field_dict.update(
            {
                "decisions": decisions,
                "passed": passed,
                "same": same,
                "turns": turns,
                "versions": versions,
            }
        )
        if difference is not UNSET:
            field_dict["difference"] = difference

        return field_dict

    @classmethod
    def from_dict(cls: type[T], src_dict: Mapping[str, Any]) -> T:
        from ..models.replay_difference import ReplayDifference  # noqa: PLC0415
        from ..models.replay_versions import ReplayVersions  # noqa: PLC0415

        d = dict(src_dict)
        decisions = d.pop("decisions")

        passed = d.pop("passed")

        same = d.pop("same")

        turns = d.pop("turns")

        versions = ReplayVersions.from_dict(d.pop("versions"))

        _difference = d.pop("difference", UNSET)
        difference: ReplayDifference | Unset
        if isinstance(_difference, Unset):
            difference = UNSET
        else:
            difference = ReplayDifference.from_dict(_difference)

        replay = cls(
            decisions=decisions,
            passed=passed,
            same=same,
            turns=turns,
            versions=versions,
            difference=difference,
        )

        replay.additional_properties = d
        return replay

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
