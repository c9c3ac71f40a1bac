from __future__ import annotations

from collections.abc import Mapping
from typing import Any, TypeVar

from attrs import define as _attrs_define
from attrs import field as _attrs_field

T = TypeVar("T", bound="ModelUsageShown")


@_attrs_define
class ModelUsageShown:
    """
    Attributes:
        model_id (str): Empty: no model began to answer.
        provider (str):
        request_count (int):
        total_cost (float): US dollars, of those whose price is known.
        total_tokens (int):
        unpriced_requests (int): That took tokens whose price is not known.
    """

    model_id: str
    provider: str
    request_count: int
    total_cost: float
    total_tokens: int
    unpriced_requests: int
    additional_properties: dict[str, Any] = _attrs_field(init=False, factory=dict)

    def to_dict(self) -> dict[str, Any]:
        model_id = self.model_id

        provider = self.provider

        request_count = self.request_count

        total_cost = self.total_cost

        total_tokens = self.total_tokens

        unpriced_requests = self.unpriced_requests

        field_dict: dict[str, Any] = {}
        field_dict.update(self.additional_properties)
        field_dict.update(
            {
                "modelId": model_id,
                "provider": provider,
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
        model_id = d.pop("modelId")

        provider = d.pop("provider")

        request_count = d.pop("requestCount")

        total_cost = d.pop("totalCost")

        total_tokens = d.pop("totalTokens")

        unpriced_requests = d.pop("unpricedRequests")

        model_usage_shown = cls(
            model_id=model_id,
            provider=provider,
            request_count=request_count,
            total_cost=total_cost,
            total_tokens=total_tokens,
            unpriced_requests=unpriced_requests,
        )

        model_usage_shown.additional_properties = d
        return model_usage_shown

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
