from __future__ import annotations

from collections.abc import Mapping
from typing import Any, TypeVar

from attrs import define as _attrs_define
from attrs import field as _attrs_field

from ..types import UNSET, Unset

T = TypeVar("T", bound="HookCustomFields")


@_attrs_define
class HookCustomFields:
    """
    Attributes:
        agent_email (str | Unset):
        queue_id (str | Unset):
        queue_name (str | Unset):
    """

    agent_email: str | Unset = UNSET
    queue_id: str | Unset = UNSET
    queue_name: str | Unset = UNSET
    additional_properties: dict[str, Any] = _attrs_field(init=False, factory=dict)

    def to_dict(self) -> dict[str, Any]:
        agent_email = self.agent_email

        queue_id = self.queue_id

        queue_name = self.queue_name

        field_dict: dict[str, Any] = {}
        field_dict.update(self.additional_properties)
        field_dict.update({})
        if agent_email is not UNSET:
            field_dict["agentEmail"] = agent_email
        if queue_id is not UNSET:
            field_dict["queueId"] = queue_id
        if queue_name is not UNSET:
            field_dict["queueName"] = queue_name

        return field_dict

    @classmethod
    def from_dict(cls: type[T], src_dict: Mapping[str, Any]) -> T:
        d = dict(src_dict)
        agent_email = d.pop("agentEmail", UNSET)

        queue_id = d.pop("queueId", UNSET)

        queue_name = d.pop("queueName", UNSET)

        hook_custom_fields = cls(
            agent_email=agent_email,
            queue_id=queue_id,
            queue_name=queue_name,
        )

        hook_custom_fields.additional_properties = d
        return hook_custom_fields

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
