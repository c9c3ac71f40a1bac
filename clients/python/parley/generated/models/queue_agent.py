from __future__ import annotations

from collections.abc import Mapping
from typing import Any, TypeVar

from attrs import define as _attrs_define
from attrs import field as _attrs_field

T = TypeVar("T", bound="QueueAgent")


@_attrs_define
class QueueAgent:
    """
    Attributes:
        is_preferred_agent (bool): Whether it is asked before the others.
        user_id (str): The agent's userId, or the agent's own id.
    """

    is_preferred_agent: bool
    user_id: str
    additional_properties: dict[str, Any] = _attrs_field(init=False, factory=dict)

    def to_dict(self) -> dict[str, Any]:
        is_preferred_agent = self.is_preferred_agent

        user_id = self.user_id

        field_dict: dict[str, Any] = {}
        field_dict.update(self.additional_properties)
        field_dict.update(
            {
                "isPreferredAgent": is_preferred_agent,
                "userId": user_id,
            }
        )

        return field_dict

    @classmethod
    def from_dict(cls: type[T], src_dict: Mapping[str, Any]) -> T:
        d = dict(src_dict)
        is_preferred_agent = d.pop("isPreferredAgent")

        user_id = d.pop("userId")

        queue_agent = cls(
            is_preferred_agent=is_preferred_agent,
            user_id=user_id,
        )

        queue_agent.additional_properties = d
        return queue_agent

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
