from __future__ import annotations

from collections.abc import Mapping
from typing import Any, TypeVar, cast

from attrs import define as _attrs_define
from attrs import field as _attrs_field

T = TypeVar("T", bound="Levels")


@_attrs_define
class Levels:
    """
    Attributes:
        every_ms (int): Of each step.
        heard (list[int]): The person: decibels over -90 dBFS.
        said (list[int]): The agent, the same.
    """

    every_ms: int
    heard: list[int]
    said: list[int]
    additional_properties: dict[str, Any] = _attrs_field(init=False, factory=dict)

    def to_dict(self) -> dict[str, Any]:
        every_ms = self.every_ms

        heard = self.heard

        said = self.said

        field_dict: dict[str, Any] = {}
        field_dict.update(self.additional_properties)
        field_dict.update(
            {
                "everyMs": every_ms,
                "heard": heard,
                "said": said,
            }
        )

        return field_dict

    @classmethod
    def from_dict(cls: type[T], src_dict: Mapping[str, Any]) -> T:
        d = dict(src_dict)
        every_ms = d.pop("everyMs")

        heard = cast(list[int], d.pop("heard"))

        said = cast(list[int], d.pop("said"))

        levels = cls(
            every_ms=every_ms,
            heard=heard,
            said=said,
        )

        levels.additional_properties = d
        return levels

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
