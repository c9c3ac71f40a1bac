from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, TypeVar

from attrs import define as _attrs_define
from attrs import field as _attrs_field

if TYPE_CHECKING:
    from ..models.created_key import CreatedKey
    from ..models.key_scope import KeyScope


T = TypeVar("T", bound="CreateKeyResult")


@_attrs_define
class CreateKeyResult:
    """
    Attributes:
        api_key (CreatedKey):
        scope (KeyScope):
        success (bool):
    """

    api_key: CreatedKey
    scope: KeyScope
    success: bool
    additional_properties: dict[str, Any] = _attrs_field(init=False, factory=dict)

    def to_dict(self) -> dict[str, Any]:
        api_key = self.api_key.to_dict()

        scope = self.scope.to_dict()

        success = self.success

        field_dict: dict[str, Any] = {}
        field_dict.update(self.additional_properties)
        field_dict.update(
            {
                "api_key": api_key,
                "scope": scope,
                "success": success,
            }
        )

        return field_dict

    @classmethod
    def from_dict(cls: type[T], src_dict: Mapping[str, Any]) -> T:
        from ..models.created_key import CreatedKey  # noqa: PLC0415
        from ..models.key_scope import KeyScope  # noqa: PLC0415

        d = dict(src_dict)
        api_key = CreatedKey.from_dict(d.pop("api_key"))

        scope = KeyScope.from_dict(d.pop("scope"))

        success = d.pop("success")

        create_key_result = cls(
            api_key=api_key,
            scope=scope,
            success=success,
        )

        create_key_result.additional_properties = d
        return create_key_result

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
