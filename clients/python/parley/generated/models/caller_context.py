from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, TypeVar

from attrs import define as _attrs_define
from attrs import field as _attrs_field

from ..types import UNSET, Unset

if TYPE_CHECKING:
    from ..models.caller_context_custom_attributes import CallerContextCustomAttributes


T = TypeVar("T", bound="CallerContext")


@_attrs_define
class CallerContext:
    """
    Attributes:
        channel (str | Unset):
        custom_attributes (CallerContextCustomAttributes | Unset):
        user_id (str | Unset):
    """

    channel: str | Unset = UNSET
    custom_attributes: CallerContextCustomAttributes | Unset = UNSET
    user_id: str | Unset = UNSET
    additional_properties: dict[str, Any] = _attrs_field(init=False, factory=dict)

    def to_dict(self) -> dict[str, Any]:
        channel = self.channel

        custom_attributes: dict[str, Any] | Unset = UNSET
        if not isinstance(self.custom_attributes, Unset):
            custom_attributes = self.custom_attributes.to_dict()

        user_id = self.user_id

        field_dict: dict[str, Any] = {}
        field_dict.update(self.additional_properties)
        field_dict.update({})
        if channel is not UNSET:
            field_dict["channel"] = channel
        if custom_attributes is not UNSET:
            field_dict["customAttributes"] = custom_attributes
        if user_id is not UNSET:
            field_dict["userId"] = user_id

        return field_dict

    @classmethod
    def from_dict(cls: type[T], src_dict: Mapping[str, Any]) -> T:
        from ..models.caller_context_custom_attributes import (
            CallerContextCustomAttributes,  # noqa: PLC0415
        )

        d = dict(src_dict)
        channel = d.pop("channel", UNSET)

        _custom_attributes = d.pop("customAttributes", UNSET)
        custom_attributes: CallerContextCustomAttributes | Unset
        if isinstance(_custom_attributes, Unset):
            custom_attributes = UNSET
        else:
            custom_attributes = CallerContextCustomAttributes.from_dict(
                _custom_attributes
            )

        user_id = d.pop("userId", UNSET)

        caller_context = cls(
            channel=channel,
            custom_attributes=custom_attributes,
            user_id=user_id,
        )

        caller_context.additional_properties = d
        return caller_context

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
