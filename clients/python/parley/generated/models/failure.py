from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, TypeVar

from attrs import define as _attrs_define
from attrs import field as _attrs_field

from ..types import UNSET, Unset

if TYPE_CHECKING:
    from ..models.step_difference import StepDifference


T = TypeVar("T", bound="Failure")


@_attrs_define
class Failure:
    """
    Attributes:
        case (str):
        differences (list[StepDifference]):
        error (str | Unset): Why the case could not be played to its end.
        turn (int | Unset): Of the case, from 1.
    """

    case: str
    differences: list[StepDifference]
    error: str | Unset = UNSET
    turn: int | Unset = UNSET
    additional_properties: dict[str, Any] = _attrs_field(init=False, factory=dict)

    def to_dict(self) -> dict[str, Any]:
        case = self.case

        differences = []
        for differences_item_data in self.differences:
            differences_item = differences_item_data.to_dict()
            differences.append(differences_item)

        error = self.error

        turn = self.turn

        field_dict: dict[str, Any] = {}
        field_dict.update(self.additional_properties)
        field_dict.update(
            {
                "case": case,
                "differences": differences,
            }
        )
        if error is not UNSET:
            field_dict["error"] = error
        if turn is not UNSET:
            field_dict["turn"] = turn

        return field_dict

    @classmethod
    def from_dict(cls: type[T], src_dict: Mapping[str, Any]) -> T:
        from ..models.step_difference import StepDifference  # noqa: PLC0415

        d = dict(src_dict)
        case = d.pop("case")

        differences = []
        _differences = d.pop("differences")
        for differences_item_data in _differences:
            differences_item = StepDifference.from_dict(differences_item_data)

            differences.append(differences_item)

        error = d.pop("error", UNSET)

        turn = d.pop("turn", UNSET)

        failure = cls(
            case=case,
            differences=differences,
            error=error,
            turn=turn,
        )

        failure.additional_properties = d
        return failure

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
