from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, TypeVar

from attrs import define as _attrs_define
from attrs import field as _attrs_field

from ..types import UNSET, Unset

if TYPE_CHECKING:
    from ..models.use_result_data import UseResultData


T = TypeVar("T", bound="UseResult")


@_attrs_define
class UseResult:
    """
    Attributes:
        data (UseResultData): Of get what is in the store, {} if nothing is; of set {version}; of delete {deleted:
            true}.
        success (bool):
        version (int | Unset): Of get: the version of the store, to be named in a write. An extension.
    """

    data: UseResultData
    success: bool
    version: int | Unset = UNSET
    additional_properties: dict[str, Any] = _attrs_field(init=False, factory=dict)

    def to_dict(self) -> dict[str, Any]:
        data = self.data.to_dict()

        success = self.success

        version = self.version

        field_dict: dict[str, Any] = {}
        field_dict.update(self.additional_properties)
        field_dict.update(
            {
                "data": data,
                "success": success,
            }
        )
        if version is not UNSET:
            field_dict["version"] = version

        return field_dict

    @classmethod
    def from_dict(cls: type[T], src_dict: Mapping[str, Any]) -> T:
        from ..models.use_result_data import UseResultData  # noqa: PLC0415

        d = dict(src_dict)
        data = UseResultData.from_dict(d.pop("data"))

        success = d.pop("success")

        version = d.pop("version", UNSET)

        use_result = cls(
            data=data,
            success=success,
            version=version,
        )

        use_result.additional_properties = d
        return use_result

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
