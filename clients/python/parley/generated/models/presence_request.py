from __future__ import annotations

from collections.abc import Mapping
from typing import Any, TypeVar

from attrs import define as _attrs_define
from attrs import field as _attrs_field

from ..models.presence_request_online_status_type import PresenceRequestOnlineStatusType
from ..types import UNSET, Unset

T = TypeVar("T", bound="PresenceRequest")


@_attrs_define
class PresenceRequest:
    """
    Attributes:
        online_status_type (PresenceRequestOnlineStatusType): What the presence means to routing.
        online_status (str | Unset): What it is called; the type's own name when absent.
    """

    online_status_type: PresenceRequestOnlineStatusType
    online_status: str | Unset = UNSET
    additional_properties: dict[str, Any] = _attrs_field(init=False, factory=dict)

    def to_dict(self) -> dict[str, Any]:
        online_status_type = self.online_status_type.value

        online_status = self.online_status

        field_dict: dict[str, Any] = {}
        field_dict.update(self.additional_properties)
        field_dict.update(
            {
                "onlineStatusType": online_status_type,
            }
        )
        if online_status is not UNSET:
            field_dict["onlineStatus"] = online_status

        return field_dict

    @classmethod
    def from_dict(cls: type[T], src_dict: Mapping[str, Any]) -> T:
        d = dict(src_dict)
        online_status_type = PresenceRequestOnlineStatusType(d.pop("onlineStatusType"))

        online_status = d.pop("onlineStatus", UNSET)

        presence_request = cls(
            online_status_type=online_status_type,
            online_status=online_status,
        )

        presence_request.additional_properties = d
        return presence_request

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
