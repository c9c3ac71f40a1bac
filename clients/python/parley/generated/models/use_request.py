from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, TypeVar

from attrs import define as _attrs_define
from attrs import field as _attrs_field

from ..models.use_request_action import UseRequestAction
from ..types import UNSET, Unset

if TYPE_CHECKING:
    from ..models.payload import Payload


T = TypeVar("T", bound="UseRequest")


@_attrs_define
class UseRequest:
    """
    Attributes:
        action (UseRequestAction):
        memory_store_name (str): As MEMORY of the agent's source names it.
        payload (Payload | Unset):
    """

    action: UseRequestAction
    memory_store_name: str
    payload: Payload | Unset = UNSET
    additional_properties: dict[str, Any] = _attrs_field(init=False, factory=dict)

    def to_dict(self) -> dict[str, Any]:
        action = self.action.value

        memory_store_name = self.memory_store_name

        payload: dict[str, Any] | Unset = UNSET
        if not isinstance(self.payload, Unset):
            payload = self.payload.to_dict()

        field_dict: dict[str, Any] = {}
        field_dict.update(self.additional_properties)
        field_dict.update(
            {
                "action": action,
                "memoryStoreName": memory_store_name,
            }
        )
        if payload is not UNSET:
            field_dict["payload"] = payload

        return field_dict

    @classmethod
    def from_dict(cls: type[T], src_dict: Mapping[str, Any]) -> T:
        from ..models.payload import Payload  # noqa: PLC0415

        d = dict(src_dict)
        action = UseRequestAction(d.pop("action"))

        memory_store_name = d.pop("memoryStoreName")

        _payload = d.pop("payload", UNSET)
        payload: Payload | Unset
        if isinstance(_payload, Unset):
            payload = UNSET
        else:
            payload = Payload.from_dict(_payload)

        use_request = cls(
            action=action,
            memory_store_name=memory_store_name,
            payload=payload,
        )

        use_request.additional_properties = d
        return use_request

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
