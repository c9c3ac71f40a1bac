from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, TypeVar

from attrs import define as _attrs_define
from attrs import field as _attrs_field

from ..types import UNSET, Unset

if TYPE_CHECKING:
    from ..models.manifest_metadata import ManifestMetadata
    from ..models.manifest_spec import ManifestSpec


T = TypeVar("T", bound="Manifest")


@_attrs_define
class Manifest:
    """
    Attributes:
        kind (str): Tenant, Project, Client, Scope, Trunk, Agent or ExperienceFlow.
        file (str | Unset): Where it was read from, for the names of faults.
        line (int | Unset): The line where it begins there.
        metadata (ManifestMetadata | Unset): id, name, and tenant: the account; without one that of the token.
        spec (ManifestSpec | Unset): In the API's own field names; docs/schemas/manifests has a JSON Schema per kind. A
            field that is not known is refused.
    """

    kind: str
    file: str | Unset = UNSET
    line: int | Unset = UNSET
    metadata: ManifestMetadata | Unset = UNSET
    spec: ManifestSpec | Unset = UNSET
    additional_properties: dict[str, Any] = _attrs_field(init=False, factory=dict)

    def to_dict(self) -> dict[str, Any]:
        kind = self.kind

        file = self.file

        line = self.line

        metadata: dict[str, Any] | Unset = UNSET
        if not isinstance(self.metadata, Unset):
            metadata = self.metadata.to_dict()

        spec: dict[str, Any] | Unset = UNSET
        if not isinstance(self.spec, Unset):
            spec = self.spec.to_dict()

        field_dict: dict[str, Any] = {}
        field_dict.update(self.additional_properties)
        field_dict.update(
            {
                "kind": kind,
            }
        )
        if file is not UNSET:
            field_dict["file"] = file
        if line is not UNSET:
            field_dict["line"] = line
        if metadata is not UNSET:
            field_dict["metadata"] = metadata
        if spec is not UNSET:
            field_dict["spec"] = spec

        return field_dict

    @classmethod
    def from_dict(cls: type[T], src_dict: Mapping[str, Any]) -> T:
        from ..models.manifest_metadata import ManifestMetadata  # noqa: PLC0415
        from ..models.manifest_spec import ManifestSpec  # noqa: PLC0415

        d = dict(src_dict)
        kind = d.pop("kind")

        file = d.pop("file", UNSET)

        line = d.pop("line", UNSET)

        _metadata = d.pop("metadata", UNSET)
        metadata: ManifestMetadata | Unset
        if isinstance(_metadata, Unset):
            metadata = UNSET
        else:
            metadata = ManifestMetadata.from_dict(_metadata)

        _spec = d.pop("spec", UNSET)
        spec: ManifestSpec | Unset
        if isinstance(_spec, Unset):
            spec = UNSET
        else:
            spec = ManifestSpec.from_dict(_spec)

        manifest = cls(
            kind=kind,
            file=file,
            line=line,
            metadata=metadata,
            spec=spec,
        )

        manifest.additional_properties = d
        return manifest

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
