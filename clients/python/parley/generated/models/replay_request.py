from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, TypeVar

from attrs import define as _attrs_define
from attrs import field as _attrs_field

from ..types import UNSET, Unset

if TYPE_CHECKING:
    from ..models.replay_request_versions import ReplayRequestVersions


T = TypeVar("T", bound="ReplayRequest")


@_attrs_define
class ReplayRequest:
    """
    Attributes:
        version (str | Unset): Of the agent that the session began with: a number, or working-copy.
        versions (ReplayRequestVersions | Unset): Of agents by their names; of others it is what the session went by.
    """

    version: str | Unset = UNSET
    versions: ReplayRequestVersions | Unset = UNSET
    additional_properties: dict[str, Any] = _attrs_field(init=False, factory=dict)

    def to_dict(self) -> dict[str, Any]:
        version = self.version

        versions: dict[str, Any] | Unset = UNSET
        if not isinstance(self.versions, Unset):
            versions = self.versions.to_dict()

        field_dict: dict[str, Any] = {}
        field_dict.update(self.additional_properties)
        field_dict.update({})
        if version is not UNSET:
            field_dict["version"] = version
        if versions is not UNSET:
            field_dict["versions"] = versions

        return field_dict

    @classmethod
    def from_dict(cls: type[T], src_dict: Mapping[str, Any]) -> T:
        from ..models.replay_request_versions import (
            ReplayRequestVersions,  # noqa: PLC0415
        )

        d = dict(src_dict)
        version = d.pop("version", UNSET)

        _versions = d.pop("versions", UNSET)
        versions: ReplayRequestVersions | Unset
        if isinstance(_versions, Unset):
            versions = UNSET
        else:
            versions = ReplayRequestVersions.from_dict(_versions)

        replay_request = cls(
            version=version,
            versions=versions,
        )

        replay_request.additional_properties = d
        return replay_request

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
