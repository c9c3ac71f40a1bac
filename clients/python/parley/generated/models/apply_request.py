from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, TypeVar

from attrs import define as _attrs_define
from attrs import field as _attrs_field

from ..types import UNSET, Unset

if TYPE_CHECKING:
    from ..models.manifest import Manifest


T = TypeVar("T", bound="ApplyRequest")


@_attrs_define
class ApplyRequest:
    """
    Attributes:
        manifests (list[Manifest]): In any order; they are applied in the order in which kinds depend on each other.
        dry_run (bool | Unset): Check and decide, but change nothing; the results show the events that there would be.
        prune (bool | Unset): Remove what manifests made earlier and this set does not name any more, in each tenant
            whose Tenant manifest is in the set; without one it is refused. The set must hold all manifests of such a
            tenant. With dryRun it is shown what would be removed.
    """

    manifests: list[Manifest]
    dry_run: bool | Unset = UNSET
    prune: bool | Unset = UNSET
    additional_properties: dict[str, Any] = _attrs_field(init=False, factory=dict)

    def to_dict(self) -> dict[str, Any]:
        manifests = []
        for manifests_item_data in self.manifests:
            manifests_item = manifests_item_data.to_dict()
            manifests.append(manifests_item)

        dry_run = self.dry_run

        prune = self.prune

        field_dict: dict[str, Any] = {}
        field_dict.update(self.additional_properties)
        field_dict.update(
            {
                "manifests": manifests,
            }
        )
        if dry_run is not UNSET:
            field_dict["dryRun"] = dry_run
        if prune is not UNSET:
            field_dict["prune"] = prune

        return field_dict

    @classmethod
    def from_dict(cls: type[T], src_dict: Mapping[str, Any]) -> T:
        from ..models.manifest import Manifest  # noqa: PLC0415

        d = dict(src_dict)
        manifests = []
        _manifests = d.pop("manifests")
        for manifests_item_data in _manifests:
            manifests_item = Manifest.from_dict(manifests_item_data)

            manifests.append(manifests_item)

        dry_run = d.pop("dryRun", UNSET)

        prune = d.pop("prune", UNSET)

        apply_request = cls(
            manifests=manifests,
            dry_run=dry_run,
            prune=prune,
        )

        apply_request.additional_properties = d
        return apply_request

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
