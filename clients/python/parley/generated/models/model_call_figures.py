from __future__ import annotations

from collections.abc import Mapping
from typing import Any, TypeVar

from attrs import define as _attrs_define
from attrs import field as _attrs_field

T = TypeVar("T", bound="ModelCallFigures")


@_attrs_define
class ModelCallFigures:
    """
    Attributes:
        count (int): Those that failed as well.
        estimated_cost (float): US dollars, of those whose price is known.
        failed (int):
        input_tokens (int):
        output_tokens (int):
        p_50_ms (int): Half of them took as long at most.
        p_95_ms (int):
        unpriced (int): That took tokens whose price is not known.
    """

    count: int
    estimated_cost: float
    failed: int
    input_tokens: int
    output_tokens: int
    p_50_ms: int
    p_95_ms: int
    unpriced: int
    additional_properties: dict[str, Any] = _attrs_field(init=False, factory=dict)

    def to_dict(self) -> dict[str, Any]:
        count = self.count

        estimated_cost = self.estimated_cost

        failed = self.failed

        input_tokens = self.input_tokens

        output_tokens = self.output_tokens

        p_50_ms = self.p_50_ms

        p_95_ms = self.p_95_ms

        unpriced = self.unpriced

        field_dict: dict[str, Any] = {}
        field_dict.update(self.additional_properties)
        field_dict.update(
            {
                "count": count,
                "estimatedCost": estimated_cost,
                "failed": failed,
                "inputTokens": input_tokens,
                "outputTokens": output_tokens,
                "p50Ms": p_50_ms,
                "p95Ms": p_95_ms,
                "unpriced": unpriced,
            }
        )

        return field_dict

    @classmethod
    def from_dict(cls: type[T], src_dict: Mapping[str, Any]) -> T:
        d = dict(src_dict)
        count = d.pop("count")

        estimated_cost = d.pop("estimatedCost")

        failed = d.pop("failed")

        input_tokens = d.pop("inputTokens")

        output_tokens = d.pop("outputTokens")

        p_50_ms = d.pop("p50Ms")

        p_95_ms = d.pop("p95Ms")

        unpriced = d.pop("unpriced")

        model_call_figures = cls(
            count=count,
            estimated_cost=estimated_cost,
            failed=failed,
            input_tokens=input_tokens,
            output_tokens=output_tokens,
            p_50_ms=p_50_ms,
            p_95_ms=p_95_ms,
            unpriced=unpriced,
        )

        model_call_figures.additional_properties = d
        return model_call_figures

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
