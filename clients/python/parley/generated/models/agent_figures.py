from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, TypeVar, cast

from attrs import define as _attrs_define
from attrs import field as _attrs_field

if TYPE_CHECKING:
    from ..models.agent_category import AgentCategory


T = TypeVar("T", bound="AgentFigures")


@_attrs_define
class AgentFigures:
    """
    Attributes:
        agent_name (str):
        avg_duration (float | None): Milliseconds; null without any duration.
        by_category (list[AgentCategory]):
        count (int): Events.
        error_count (int):
        error_rate (float): 0 to 1.
        p95_duration (float | None): Milliseconds: the nearest rank, of over a thousand within 0.4 %; null without any.
        sum_cost (float | None): Dollars: 0 where the price is 0; null where there are tokens and no known price.
        sum_tokens (int):
        unpriced (int): Events that took tokens whose price is not known. The sum leaves them out.
    """

    agent_name: str
    avg_duration: float | None
    by_category: list[AgentCategory]
    count: int
    error_count: int
    error_rate: float
    p95_duration: float | None
    sum_cost: float | None
    sum_tokens: int
    unpriced: int
    additional_properties: dict[str, Any] = _attrs_field(init=False, factory=dict)

    def to_dict(self) -> dict[str, Any]:
        agent_name = self.agent_name

        avg_duration: float | None
        avg_duration = self.avg_duration

        by_category = []
        for by_category_item_data in self.by_category:
            by_category_item = by_category_item_data.to_dict()
            by_category.append(by_category_item)

        count = self.count

        error_count = self.error_count

        error_rate = self.error_rate

        p95_duration: float | None
        p95_duration = self.p95_duration

        sum_cost: float | None
        sum_cost = self.sum_cost

        sum_tokens = self.sum_tokens

        unpriced = self.unpriced

        field_dict: dict[str, Any] = {}
        field_dict.update(self.additional_properties)
        field_dict.update(
            {
                "agent_name": agent_name,
                "avg_duration": avg_duration,
                "by_category": by_category,
                "count": count,
                "error_count": error_count,
                "error_rate": error_rate,
                "p95_duration": p95_duration,
                "sum_cost": sum_cost,
                "sum_tokens": sum_tokens,
                "unpriced": unpriced,
            }
        )

        return field_dict

    @classmethod
    def from_dict(cls: type[T], src_dict: Mapping[str, Any]) -> T:
        from ..models.agent_category import AgentCategory  # noqa: PLC0415

        d = dict(src_dict)
        agent_name = d.pop("agent_name")

        def _parse_avg_duration(data: object) -> float | None:
            if data is None:
                return data
            return cast(float | None, data)

        avg_duration = _parse_avg_duration(d.pop("avg_duration"))

        by_category = []
        _by_category = d.pop("by_category")
        for by_category_item_data in _by_category:
            by_category_item = AgentCategory.from_dict(by_category_item_data)

            by_category.append(by_category_item)

        count = d.pop("count")

        error_count = d.pop("error_count")

        error_rate = d.pop("error_rate")

        def _parse_p95_duration(data: object) -> float | None:
            if data is None:
                return data
            return cast(float | None, data)

        p95_duration = _parse_p95_duration(d.pop("p95_duration"))

        def _parse_sum_cost(data: object) -> float | None:
            if data is None:
                return data
            return cast(float | None, data)

        sum_cost = _parse_sum_cost(d.pop("sum_cost"))

        sum_tokens = d.pop("sum_tokens")

        unpriced = d.pop("unpriced")

        agent_figures = cls(
            agent_name=agent_name,
            avg_duration=avg_duration,
            by_category=by_category,
            count=count,
            error_count=error_count,
            error_rate=error_rate,
            p95_duration=p95_duration,
            sum_cost=sum_cost,
            sum_tokens=sum_tokens,
            unpriced=unpriced,
        )

        agent_figures.additional_properties = d
        return agent_figures

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
