from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, TypeVar

from attrs import define as _attrs_define
from attrs import field as _attrs_field

from ..types import UNSET, Unset

if TYPE_CHECKING:
    from ..models.hook_custom_fields import HookCustomFields


T = TypeVar("T", bound="HookParticipant")


@_attrs_define
class HookParticipant:
    """
    Attributes:
        identity (str): Names the agent the same way in all events.
        name (str):
        type_ (str):
        custom_fields (HookCustomFields | Unset):
    """

    identity: str
    name: str
    type_: str
    custom_fields: HookCustomFields | Unset = UNSET
    additional_properties: dict[str, Any] = _attrs_field(init=False, factory=dict)

    def to_dict(self) -> dict[str, Any]:
        identity = self.identity

        name = self.name

        type_ = self.type_

        custom_fields: dict[str, Any] | Unset = UNSET
        if not isinstance(self.custom_fields, Unset):
            custom_fields = self.custom_fields.to_dict()

        field_dict: dict[str, Any] = {}
        field_dict.update(self.additional_properties)
        field_dict.update(
            {
                "identity": identity,
                "name": name,
                "type": type_,
            }
        )
        if custom_fields is not UNSET:
            field_dict["customFields"] = custom_fields

        return field_dict

    @classmethod
    def from_dict(cls: type[T], src_dict: Mapping[str, Any]) -> T:
        from ..models.hook_custom_fields import HookCustomFields  # noqa: PLC0415

        d = dict(src_dict)
        identity = d.pop("identity")

        name = d.pop("name")

        type_ = d.pop("type")

        _custom_fields = d.pop("customFields", UNSET)
        custom_fields: HookCustomFields | Unset
        if isinstance(_custom_fields, Unset):
            custom_fields = UNSET
        else:
            custom_fields = HookCustomFields.from_dict(_custom_fields)

        hook_participant = cls(
            identity=identity,
            name=name,
            type_=type_,
            custom_fields=custom_fields,
        )

        hook_participant.additional_properties = d
        return hook_participant

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
