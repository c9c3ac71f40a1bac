from __future__ import annotations

from collections.abc import Mapping
from typing import Any, TypeVar, cast

from attrs import define as _attrs_define
from attrs import field as _attrs_field

T = TypeVar("T", bound="AgentCategory")


@_attrs_define
class AgentCategory:
    """
    Attributes:
        avg_duration (float | None):
        category (str):
        count (int):
        error_rate (float):
    """

    avg_duration: float | None
    category: str
    count: int
    error_rate: float
    additional_properties: dict[str, Any] = _attrs_field(init=False, factory=dict)

    def to_dict(self) -> dict[str, Any]:
        avg_duration: float | None
        avg_duration = self.avg_duration

        category = self.category

        count = self.count

        error_rate = self.error_rate

        field_dict: dict[str, Any] = {}
        field_dict.update(self.additional_properties)
        field_dict.update(
            {
                "avg_duration": avg_duration,
                "category": category,
                "count": count,
                "error_rate": error_rate,
            }
        )

        return field_dict

    @classmethod
    def from_dict(cls: type[T], src_dict: Mapping[str, Any]) -> T:
        d = dict(src_dict)

        def _parse_avg_duration(data: object) -> float | None:
            if data is None:
                return data
            return cast(float | None, data)

        avg_duration = _parse_avg_duration(d.pop("avg_duration"))

        category = d.pop("category")

        count = d.pop("count")

        error_rate = d.pop("error_rate")

        agent_category = cls(
            avg_duration=avg_duration,
            category=category,
            count=count,
            error_rate=error_rate,
        )

        agent_category.additional_properties = d
        return agent_category

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
