from __future__ import annotations

from collections.abc import Mapping
from typing import Any, TypeVar

from attrs import define as _attrs_define
from attrs import field as _attrs_field

T = TypeVar("T", bound="UsageSummary")


@_attrs_define
class UsageSummary:
    """
    Attributes:
        avg_latency (float): Milliseconds.
        request_count (int): Those that failed or were given up are counted as well.
        total_cost (float): US dollars, of those whose price is known.
        total_tokens (int):
        unpriced_requests (int): That took tokens whose price is not known.
    """

    avg_latency: float
    request_count: int
    total_cost: float
    total_tokens: int
    unpriced_requests: int
    additional_properties: dict[str, Any] = _attrs_field(init=False, factory=dict)

    def to_dict(self) -> dict[str, Any]:
        avg_latency = self.avg_latency

        request_count = self.request_count

        total_cost = self.total_cost

        total_tokens = self.total_tokens

        unpriced_requests = self.unpriced_requests

        field_dict: dict[str, Any] = {}
        field_dict.update(self.additional_properties)
        field_dict.update(
            {
                "avgLatency": avg_latency,
                "requestCount": request_count,
                "totalCost": total_cost,
                "totalTokens": total_tokens,
                "unpricedRequests": unpriced_requests,
            }
        )

        return field_dict

    @classmethod
    def from_dict(cls: type[T], src_dict: Mapping[str, Any]) -> T:
        d = dict(src_dict)
        avg_latency = d.pop("avgLatency")

        request_count = d.pop("requestCount")

        total_cost = d.pop("totalCost")

        total_tokens = d.pop("totalTokens")

        unpriced_requests = d.pop("unpricedRequests")

        usage_summary = cls(
            avg_latency=avg_latency,
            request_count=request_count,
            total_cost=total_cost,
            total_tokens=total_tokens,
            unpriced_requests=unpriced_requests,
        )

        usage_summary.additional_properties = d
        return usage_summary

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
