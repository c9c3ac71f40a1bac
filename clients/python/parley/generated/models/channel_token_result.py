from __future__ import annotations

import datetime
from collections.abc import Mapping
from typing import Any, TypeVar

from attrs import define as _attrs_define
from attrs import field as _attrs_field

T = TypeVar("T", bound="ChannelTokenResult")


@_attrs_define
class ChannelTokenResult:
    """
    Attributes:
        embed_code (str): A line of HTML that puts the chat widget of this server into a page.
        expires_at (datetime.datetime): In a day.
        success (bool):
        token (str):
    """

    embed_code: str
    expires_at: datetime.datetime
    success: bool
    token: str
    additional_properties: dict[str, Any] = _attrs_field(init=False, factory=dict)

    def to_dict(self) -> dict[str, Any]:
        embed_code = self.embed_code

        expires_at = self.expires_at.isoformat()

        success = self.success

        token = self.token

        field_dict: dict[str, Any] = {}
        field_dict.update(self.additional_properties)
        field_dict.update(
            {
                "embedCode": embed_code,
                "expiresAt": expires_at,
                "success": success,
                "token": token,
            }
        )

        return field_dict

    @classmethod
    def from_dict(cls: type[T], src_dict: Mapping[str, Any]) -> T:
        d = dict(src_dict)
        embed_code = d.pop("embedCode")

        expires_at = datetime.datetime.fromisoformat(d.pop("expiresAt"))

        success = d.pop("success")

        token = d.pop("token")

        channel_token_result = cls(
            embed_code=embed_code,
            expires_at=expires_at,
            success=success,
            token=token,
        )

        channel_token_result.additional_properties = d
        return channel_token_result

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
