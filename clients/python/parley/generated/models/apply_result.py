from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, TypeVar

from attrs import define as _attrs_define
from attrs import field as _attrs_field

from ..types import UNSET, Unset

if TYPE_CHECKING:
    from ..models.applied_manifest import AppliedManifest


T = TypeVar("T", bound="ApplyResult")


@_attrs_define
class ApplyResult:
    """
    Attributes:
        results (list[AppliedManifest]): In the order of the request, then what was removed, in the order of its
            removal.
        success (bool):
        dry_run (bool | Unset):
    """

    results: list[AppliedManifest]
    success: bool
    dry_run: bool | Unset = UNSET
    additional_properties: dict[str, Any] = _attrs_field(init=False, factory=dict)

    def to_dict(self) -> dict[str, Any]:
        results = []
        for results_item_data in self.results:
            results_item = results_item_data.to_dict()
            results.append(results_item)

        success = self.success

        dry_run = self.dry_run

        field_dict: dict[str, Any] = {}
        field_dict.update(self.additional_properties)
        field_dict.update(
            {
                "results": results,
                "success": success,
            }
        )
        if dry_run is not UNSET:
            field_dict["dryRun"] = dry_run

        return field_dict

    @classmethod
    def from_dict(cls: type[T], src_dict: Mapping[str, Any]) -> T:
        from ..models.applied_manifest import AppliedManifest  # noqa: PLC0415

        d = dict(src_dict)
        results = []
        _results = d.pop("results")
        for results_item_data in _results:
            results_item = AppliedManifest.from_dict(results_item_data)

            results.append(results_item)

        success = d.pop("success")

        dry_run = d.pop("dryRun", UNSET)

        apply_result = cls(
            results=results,
            success=success,
            dry_run=dry_run,
        )

        apply_result.additional_properties = d
        return apply_result

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
