from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, TypeVar, cast

from attrs import define as _attrs_define
from attrs import field as _attrs_field

if TYPE_CHECKING:
    from ..models.agent_cost import AgentCost
    from ..models.day_cost import DayCost
    from ..models.model_cost import ModelCost


T = TypeVar("T", bound="CostFigures")


@_attrs_define
class CostFigures:
    """
    Attributes:
        by_agent (list[AgentCost]):
        by_day (list[DayCost]):
        by_model (list[ModelCost]):
        sum_cost (float | None): Dollars: 0 where the price is 0; null where there are tokens and no known price.
        sum_tokens (int):
        tokens_in (int):
        tokens_out (int):
        unpriced (int): Events that took tokens whose price is not known. The sum leaves them out.
    """

    by_agent: list[AgentCost]
    by_day: list[DayCost]
    by_model: list[ModelCost]
    sum_cost: float | None
    sum_tokens: int
    tokens_in: int
    tokens_out: int
    unpriced: int
    additional_properties: dict[str, Any] = _attrs_field(init=False, factory=dict)

    def to_dict(self) -> dict[str, Any]:
        by_agent = []
        for by_agent_item_data in self.by_agent:
            by_agent_item = by_agent_item_data.to_dict()
            by_agent.append(by_agent_item)

        by_day = []
        for by_day_item_data in self.by_day:
            by_day_item = by_day_item_data.to_dict()
            by_day.append(by_day_item)

        by_model = []
        for by_model_item_data in self.by_model:
            by_model_item = by_model_item_data.to_dict()
            by_model.append(by_model_item)

        sum_cost: float | None
        sum_cost = self.sum_cost

        sum_tokens = self.sum_tokens

        tokens_in = self.tokens_in

        tokens_out = self.tokens_out

        unpriced = self.unpriced

        field_dict: dict[str, Any] = {}
        field_dict.update(self.additional_properties)
        field_dict.update(
            {
                "by_agent": by_agent,
                "by_day": by_day,
                "by_model": by_model,
                "sum_cost": sum_cost,
                "sum_tokens": sum_tokens,
                "tokens_in": tokens_in,
                "tokens_out": tokens_out,
                "unpriced": unpriced,
            }
        )

        return field_dict

    @classmethod
    def from_dict(cls: type[T], src_dict: Mapping[str, Any]) -> T:
        from ..models.agent_cost import AgentCost  # noqa: PLC0415
        from ..models.day_cost import DayCost  # noqa: PLC0415
        from ..models.model_cost import ModelCost  # noqa: PLC0415

        d = dict(src_dict)
        by_agent = []
        _by_agent = d.pop("by_agent")
        for by_agent_item_data in _by_agent:
            by_agent_item = AgentCost.from_dict(by_agent_item_data)

            by_agent.append(by_agent_item)

        by_day = []
        _by_day = d.pop("by_day")
        for by_day_item_data in _by_day:
            by_day_item = DayCost.from_dict(by_day_item_data)

            by_day.append(by_day_item)

        by_model = []
        _by_model = d.pop("by_model")
        for by_model_item_data in _by_model:
            by_model_item = ModelCost.from_dict(by_model_item_data)

            by_model.append(by_model_item)

        def _parse_sum_cost(data: object) -> float | None:
            if data is None:
                return data
            return cast(float | None, data)

        sum_cost = _parse_sum_cost(d.pop("sum_cost"))

        sum_tokens = d.pop("sum_tokens")

        tokens_in = d.pop("tokens_in")

        tokens_out = d.pop("tokens_out")

        unpriced = d.pop("unpriced")

        cost_figures = cls(
            by_agent=by_agent,
            by_day=by_day,
            by_model=by_model,
            sum_cost=sum_cost,
            sum_tokens=sum_tokens,
            tokens_in=tokens_in,
            tokens_out=tokens_out,
            unpriced=unpriced,
        )

        cost_figures.additional_properties = d
        return cost_figures

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
