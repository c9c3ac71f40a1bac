from __future__ import annotations

from collections.abc import Mapping
from typing import Any, TypeVar

from attrs import define as _attrs_define
from attrs import field as _attrs_field

from ..types import UNSET, Unset

T = TypeVar("T", bound="HookRefusal")


@_attrs_define
class HookRefusal:
    """
    Attributes:
        code (int): The HTTP status.
        message (str):
        error_code (str | Unset): As other operations answer it; on 429 and 5xx.
        retry_after_ms (int | Unset): Milliseconds after which it is worth trying again; on 429 and 503.
    """

    code: int
    message: str
    error_code: str | Unset = UNSET
    retry_after_ms: int | Unset = UNSET
    additional_properties: dict[str, Any] = _attrs_field(init=False, factory=dict)

    def to_dict(self) -> dict[str, Any]:
        code = self.code

        message = self.message

        error_code = self.error_code

        retry_after_ms = self.retry_after_ms

        field_dict: dict[str, Any] = {}
        field_dict.update(self.additional_properties)
        field_dict.update(
            {
                "code": code,
                "message": message,
            }
        )
        if error_code is not UNSET:
            field_dict["errorCode"] = error_code
        if retry_after_ms is not UNSET:
            field_dict["retryAfterMs"] = retry_after_ms

        return field_dict

    @classmethod
    def from_dict(cls: type[T], src_dict: Mapping[str, Any]) -> T:
        d = dict(src_dict)
        code = d.pop("code")

        message = d.pop("message")

        error_code = d.pop("errorCode", UNSET)

        retry_after_ms = d.pop("retryAfterMs", UNSET)

        hook_refusal = cls(
            code=code,
            message=message,
            error_code=error_code,
            retry_after_ms=retry_after_ms,
        )

        hook_refusal.additional_properties = d
        return hook_refusal

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
