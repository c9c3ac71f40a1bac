from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, TypeVar

from attrs import define as _attrs_define
from attrs import field as _attrs_field

if TYPE_CHECKING:
    from ..models.key_scope import KeyScope
    from ..models.response_meta import ResponseMeta


T = TypeVar("T", bound="ScopeResult")


@_attrs_define
class ScopeResult:
    """
    Attributes:
        meta (ResponseMeta):
        scope (KeyScope):
        success (bool):
    """

    meta: ResponseMeta
    scope: KeyScope
    success: bool
    additional_properties: dict[str, Any] = _attrs_field(init=False, factory=dict)

    def to_dict(self) -> dict[str, Any]:
        meta = self.meta.to_dict()

        scope = self.scope.to_dict()

        success = self.success

        field_dict: dict[str, Any] = {}
        field_dict.update(self.additional_properties)
        field_dict.update(
            {
                "meta": meta,
                "scope": scope,
                "success": success,
            }
        )

        return field_dict

    @classmethod
    def from_dict(cls: type[T], src_dict: Mapping[str, Any]) -> T:
        from ..models.key_scope import KeyScope  # noqa: PLC0415
        from ..models.response_meta import ResponseMeta  # noqa: PLC0415

        d = dict(src_dict)
        meta = ResponseMeta.from_dict(d.pop("meta"))

        scope = KeyScope.from_dict(d.pop("scope"))

        success = d.pop("success")

        scope_result = cls(
            meta=meta,
            scope=scope,
            success=success,
        )

        scope_result.additional_properties = d
        return scope_result

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
