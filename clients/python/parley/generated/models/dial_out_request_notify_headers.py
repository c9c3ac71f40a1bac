from __future__ import annotations

from collections.abc import Mapping
from typing import Any, TypeVar

from attrs import define as _attrs_define
from attrs import field as _attrs_field

T = TypeVar("T", bound="DialOutRequestNotifyHeaders")


@_attrs_define
class DialOutRequestNotifyHeaders:
    """Headers sent with every notification, but for those that frame it (Content-Type, Transfer-Encoding, Connection ...)
    and ours (X-Delivery-Id, X-Delivery-Attempt), which stay as they are. SAVG-Signature, Host and Content-Length are
    refused. At most 64, of at most 8 KiB each.

    """

    additional_properties: dict[str, str] = _attrs_field(init=False, factory=dict)

    def to_dict(self) -> dict[str, Any]:
        field_dict: dict[str, Any] = {}
        field_dict.update(self.additional_properties)

        return field_dict

    @classmethod
    def from_dict(cls: type[T], src_dict: Mapping[str, Any]) -> T:
        d = dict(src_dict)
        dial_out_request_notify_headers = cls()

        dial_out_request_notify_headers.additional_properties = d
        return dial_out_request_notify_headers

    @property
    def additional_keys(self) -> list[str]:
        return list(self.additional_properties.keys())

    def __getitem__(self, key: str) -> str:
        return self.additional_properties[key]

    def __setitem__(self, key: str, value: str) -> None:
        self.additional_properties[key] = value

    def __delitem__(self, key: str) -> None:
        del self.additional_properties[key]

    def __contains__(self, key: str) -> bool:
        return key in self.additional_properties
