from __future__ import annotations

import datetime
from collections.abc import Mapping
from typing import Any, TypeVar, cast

from attrs import define as _attrs_define
from attrs import field as _attrs_field

T = TypeVar("T", bound="DayCost")


@_attrs_define
class DayCost:
    """
    Attributes:
        day (datetime.datetime):
        sum_cost (float | None): Dollars: 0 where the price is 0; null where there are tokens and no known price.
        sum_tokens (int):
        tokens_in (int):
        tokens_out (int):
        unpriced (int): Events that took tokens whose price is not known. The sum leaves them out.
    """

    day: datetime.datetime
    sum_cost: float | None
    sum_tokens: int
    tokens_in: int
    tokens_out: int
    unpriced: int
    additional_properties: dict[str, Any] = _attrs_field(init=False, factory=dict)

    def to_dict(self) -> dict[str, Any]:
        day = self.day.isoformat()

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
                "day": day,
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
        d = dict(src_dict)
        day = datetime.datetime.fromisoformat(d.pop("day"))

        def _parse_sum_cost(data: object) -> float | None:
            if data is None:
                return data
            return cast(float | None, data)

        sum_cost = _parse_sum_cost(d.pop("sum_cost"))

        sum_tokens = d.pop("sum_tokens")

        tokens_in = d.pop("tokens_in")

        tokens_out = d.pop("tokens_out")

        unpriced = d.pop("unpriced")

        day_cost = cls(
            day=day,
            sum_cost=sum_cost,
            sum_tokens=sum_tokens,
            tokens_in=tokens_in,
            tokens_out=tokens_out,
            unpriced=unpriced,
        )

        day_cost.additional_properties = d
        return day_cost

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
