from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, TypeVar

from attrs import define as _attrs_define
from attrs import field as _attrs_field

if TYPE_CHECKING:
    from ..models.session_metrics import SessionMetrics


T = TypeVar("T", bound="FiguresResult")


@_attrs_define
class FiguresResult:
    """
    Attributes:
        metrics (SessionMetrics):
        success (bool):
    """

    metrics: SessionMetrics
    success: bool
    additional_properties: dict[str, Any] = _attrs_field(init=False, factory=dict)

    def to_dict(self) -> dict[str, Any]:
        metrics = self.metrics.to_dict()

        success = self.success

        field_dict: dict[str, Any] = {}
        field_dict.update(self.additional_properties)
        field_dict.update(
            {
                "metrics": metrics,
                "success": success,
            }
        )

        return field_dict

    @classmethod
    def from_dict(cls: type[T], src_dict: Mapping[str, Any]) -> T:
        from ..models.session_metrics import SessionMetrics  # noqa: PLC0415

        d = dict(src_dict)
        metrics = SessionMetrics.from_dict(d.pop("metrics"))

        success = d.pop("success")

        figures_result = cls(
            metrics=metrics,
            success=success,
        )

        figures_result.additional_properties = d
        return figures_result

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
