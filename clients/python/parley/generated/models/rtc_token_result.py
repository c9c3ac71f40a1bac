from __future__ import annotations

from collections.abc import Mapping
from typing import Any, TypeVar

from attrs import define as _attrs_define
from attrs import field as _attrs_field

T = TypeVar("T", bound="RtcTokenResult")


@_attrs_define
class RtcTokenResult:
    """
    Attributes:
        identity (str):
        room_name (str):
        session_id (str): In which the room is, or the call (extension).
        success (bool):
        token (str):
        url (str): Of LiveKit; or where the page brings its offer.
    """

    identity: str
    room_name: str
    session_id: str
    success: bool
    token: str
    url: str
    additional_properties: dict[str, Any] = _attrs_field(init=False, factory=dict)

    def to_dict(self) -> dict[str, Any]:
        identity = self.identity

        room_name = self.room_name

        session_id = self.session_id

        success = self.success

        token = self.token

        url = self.url

        field_dict: dict[str, Any] = {}
        field_dict.update(self.additional_properties)
        field_dict.update(
            {
                "identity": identity,
                "roomName": room_name,
                "sessionId": session_id,
                "success": success,
                "token": token,
                "url": url,
            }
        )

        return field_dict

    @classmethod
    def from_dict(cls: type[T], src_dict: Mapping[str, Any]) -> T:
        d = dict(src_dict)
        identity = d.pop("identity")

        room_name = d.pop("roomName")

        session_id = d.pop("sessionId")

        success = d.pop("success")

        token = d.pop("token")

        url = d.pop("url")

        rtc_token_result = cls(
            identity=identity,
            room_name=room_name,
            session_id=session_id,
            success=success,
            token=token,
            url=url,
        )

        rtc_token_result.additional_properties = d
        return rtc_token_result

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
