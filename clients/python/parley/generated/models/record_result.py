from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, TypeVar, cast

from attrs import define as _attrs_define
from attrs import field as _attrs_field

if TYPE_CHECKING:
    from ..models.recorded_play import RecordedPlay
    from ..models.recorded_suite import RecordedSuite


T = TypeVar("T", bound="RecordResult")


@_attrs_define
class RecordResult:
    """
    Attributes:
        notes (list[str]):
        played (RecordedPlay):
        success (bool):
        suite (RecordedSuite):
    """

    notes: list[str]
    played: RecordedPlay
    success: bool
    suite: RecordedSuite
    additional_properties: dict[str, Any] = _attrs_field(init=False, factory=dict)

    def to_dict(self) -> dict[str, Any]:
        notes = self.notes

        played = self.played.to_dict()

        success = self.success

        suite = self.suite.to_dict()

        field_dict: dict[str, Any] = {}
        field_dict.update(self.additional_properties)
        field_dict.update(
            {
                "notes": notes,
                "played": played,
                "success": success,
                "suite": suite,
            }
        )

        return field_dict

    @classmethod
    def from_dict(cls: type[T], src_dict: Mapping[str, Any]) -> T:
        from ..models.recorded_play import RecordedPlay  # noqa: PLC0415
        from ..models.recorded_suite import RecordedSuite  # noqa: PLC0415

        d = dict(src_dict)
        notes = cast(list[str], d.pop("notes"))

        played = RecordedPlay.from_dict(d.pop("played"))

        success = d.pop("success")

        suite = RecordedSuite.from_dict(d.pop("suite"))

        record_result = cls(
            notes=notes,
            played=played,
            success=success,
            suite=suite,
        )

        record_result.additional_properties = d
        return record_result

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
