from __future__ import annotations

from collections.abc import Mapping
from typing import Any, TypeVar

from attrs import define as _attrs_define
from attrs import field as _attrs_field

from ..models.handed_back_status import HandedBackStatus

T = TypeVar("T", bound="HandedBack")


@_attrs_define
class HandedBack:
    """
    Attributes:
        session_id (str):
        status (HandedBackStatus): ended: that is what the agent does behind people.
        transfer_id (str):
    """

    session_id: str
    status: HandedBackStatus
    transfer_id: str
    additional_properties: dict[str, Any] = _attrs_field(init=False, factory=dict)

    def to_dict(self) -> dict[str, Any]:
        session_id = self.session_id

        status = self.status.value

        transfer_id = self.transfer_id

        field_dict: dict[str, Any] = {}
        field_dict.update(self.additional_properties)
        field_dict.update(
            {
                "sessionId": session_id,
                "status": status,
                "transferId": transfer_id,
            }
        )

        return field_dict

    @classmethod
    def from_dict(cls: type[T], src_dict: Mapping[str, Any]) -> T:
        d = dict(src_dict)
        session_id = d.pop("sessionId")

        status = HandedBackStatus(d.pop("status"))

        transfer_id = d.pop("transferId")

        handed_back = cls(
            session_id=session_id,
            status=status,
            transfer_id=transfer_id,
        )

        handed_back.additional_properties = d
        return handed_back

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
