from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, TypeVar

from attrs import define as _attrs_define
from attrs import field as _attrs_field

from ..types import UNSET, Unset

if TYPE_CHECKING:
    from ..models.model_usage_shown import ModelUsageShown
    from ..models.usage_summary import UsageSummary


T = TypeVar("T", bound="ChatUsageResult")


@_attrs_define
class ChatUsageResult:
    """
    Attributes:
        success (bool):
        summary (UsageSummary):
        by_model (list[ModelUsageShown] | Unset): With groupBy=model: what took most tokens first.
    """

    success: bool
    summary: UsageSummary
    by_model: list[ModelUsageShown] | Unset = UNSET
    additional_properties: dict[str, Any] = _attrs_field(init=False, factory=dict)

    def to_dict(self) -> dict[str, Any]:
        success = self.success

        summary = self.summary.to_dict()

        by_model: list[dict[str, Any]] | Unset = UNSET
        if not isinstance(self.by_model, Unset):
            by_model = []
            for by_model_item_data in self.by_model:
                by_model_item = by_model_item_data.to_dict()
                by_model.append(by_model_item)

        field_dict: dict[str, Any] = {}
        field_dict.update(self.additional_properties)
        field_dict.update(
            {
                "success": success,
                "summary": summary,
            }
        )
        if by_model is not UNSET:
            field_dict["byModel"] = by_model

        return field_dict

    @classmethod
    def from_dict(cls: type[T], src_dict: Mapping[str, Any]) -> T:
        from ..models.model_usage_shown import ModelUsageShown  # noqa: PLC0415
        from ..models.usage_summary import UsageSummary  # noqa: PLC0415

        d = dict(src_dict)
        success = d.pop("success")

        summary = UsageSummary.from_dict(d.pop("summary"))

        _by_model = d.pop("byModel", UNSET)
        by_model: list[ModelUsageShown] | Unset = UNSET
        if _by_model is not UNSET:
            by_model = []
            for by_model_item_data in _by_model:
                by_model_item = ModelUsageShown.from_dict(by_model_item_data)

                by_model.append(by_model_item)

        chat_usage_result = cls(
            success=success,
            summary=summary,
            by_model=by_model,
        )

        chat_usage_result.additional_properties = d
        return chat_usage_result

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
