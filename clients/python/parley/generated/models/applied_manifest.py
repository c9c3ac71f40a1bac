from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, TypeVar

from attrs import define as _attrs_define
from attrs import field as _attrs_field

from ..models.applied_manifest_outcome import AppliedManifestOutcome
from ..types import UNSET, Unset

if TYPE_CHECKING:
    from ..models.applied_event import AppliedEvent
    from ..models.applied_manifest_generated import AppliedManifestGenerated


T = TypeVar("T", bound="AppliedManifest")


@_attrs_define
class AppliedManifest:
    """
    Attributes:
        kind (str):
        name (str):
        outcome (AppliedManifestOutcome):
        tenant (str):
        events (list[AppliedEvent] | Unset): What it led to, or would.
        file (str | Unset):
        generated (AppliedManifestGenerated | Unset): Secrets that were made because the manifest names none, by field.
            They are told this once.
        id (str | Unset):
        line (int | Unset):
    """

    kind: str
    name: str
    outcome: AppliedManifestOutcome
    tenant: str
    events: list[AppliedEvent] | Unset = UNSET
    file: str | Unset = UNSET
    generated: AppliedManifestGenerated | Unset = UNSET
    id: str | Unset = UNSET
    line: int | Unset = UNSET
    additional_properties: dict[str, Any] = _attrs_field(init=False, factory=dict)

    def to_dict(self) -> dict[str, Any]:
        kind = self.kind

        name = self.name

        outcome = self.outcome.value

        tenant = self.tenant

        events: list[dict[str, Any]] | Unset = UNSET
        if not isinstance(self.events, Unset):
            events = []
            for events_item_data in self.events:
                events_item = events_item_data.to_dict()
                events.append(events_item)

        file = self.file

        generated: dict[str, Any] | Unset = UNSET
        if not isinstance(self.generated, Unset):
            generated = self.generated.to_dict()

        id = self.id

        line = self.line

        field_dict: dict[str, Any] = {}
        field_dict.update(self.additional_properties)
        field_dict.update(
            {
                "kind": kind,
                "name": name,
                "outcome": outcome,
                "tenant": tenant,
            }
        )
        if events is not UNSET:
            field_dict["events"] = events
        if file is not UNSET:
            field_dict["file"] = file
        if generated is not UNSET:
            field_dict["generated"] = generated
        if id is not UNSET:
            field_dict["id"] = id
        if line is not UNSET:
            field_dict["line"] = line

        return field_dict

    @classmethod
    def from_dict(cls: type[T], src_dict: Mapping[str, Any]) -> T:
        from ..models.applied_event import AppliedEvent  # noqa: PLC0415
        from ..models.applied_manifest_generated import (
            AppliedManifestGenerated,  # noqa: PLC0415
        )

        d = dict(src_dict)
        kind = d.pop("kind")

        name = d.pop("name")

        outcome = AppliedManifestOutcome(d.pop("outcome"))

        tenant = d.pop("tenant")

        _events = d.pop("events", UNSET)
        events: list[AppliedEvent] | Unset = UNSET
        if _events is not UNSET:
            events = []
            for events_item_data in _events:
                events_item = AppliedEvent.from_dict(events_item_data)

                events.append(events_item)

        file = d.pop("file", UNSET)

        _generated = d.pop("generated", UNSET)
        generated: AppliedManifestGenerated | Unset
        if isinstance(_generated, Unset):
            generated = UNSET
        else:
            generated = AppliedManifestGenerated.from_dict(_generated)

        id = d.pop("id", UNSET)

        line = d.pop("line", UNSET)

        applied_manifest = cls(
            kind=kind,
            name=name,
            outcome=outcome,
            tenant=tenant,
            events=events,
            file=file,
            generated=generated,
            id=id,
            line=line,
        )

        applied_manifest.additional_properties = d
        return applied_manifest

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
