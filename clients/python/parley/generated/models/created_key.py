from __future__ import annotations

from collections.abc import Mapping
from typing import Any, TypeVar

from attrs import define as _attrs_define
from attrs import field as _attrs_field

from ..types import UNSET, Unset

T = TypeVar("T", bound="CreatedKey")


@_attrs_define
class CreatedKey:
    """
    Attributes:
        key_id (str): Identifies the key in the revoke path; tells nothing about the secret.
        key_name (str):
        scope_name (str):
        apikey (str | Unset): The secret, shown in this answer only; absent when a request is repeated with its
            Idempotency-Key.
    """

    key_id: str
    key_name: str
    scope_name: str
    apikey: str | Unset = UNSET
    additional_properties: dict[str, Any] = _attrs_field(init=False, factory=dict)

    def to_dict(self) -> dict[str, Any]:
        key_id = self.key_id

        key_name = self.key_name

        scope_name = self.scope_name

        apikey = self.apikey

        field_dict: dict[str, Any] = {}
        field_dict.update(self.additional_properties)
        field_dict.update(
            {
                "key_id": key_id,
                "key_name": key_name,
                "scope_name": scope_name,
            }
        )
        if apikey is not UNSET:
            field_dict["apikey"] = apikey

        return field_dict

    @classmethod
    def from_dict(cls: type[T], src_dict: Mapping[str, Any]) -> T:
        d = dict(src_dict)
        key_id = d.pop("key_id")

        key_name = d.pop("key_name")

        scope_name = d.pop("scope_name")

        apikey = d.pop("apikey", UNSET)

        created_key = cls(
            key_id=key_id,
            key_name=key_name,
            scope_name=scope_name,
            apikey=apikey,
        )

        created_key.additional_properties = d
        return created_key

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
