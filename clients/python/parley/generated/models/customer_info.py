from __future__ import annotations

from collections.abc import Mapping
from typing import Any, TypeVar

from attrs import define as _attrs_define
from attrs import field as _attrs_field

from ..types import UNSET, Unset

T = TypeVar("T", bound="CustomerInfo")


@_attrs_define
class CustomerInfo:
    """
    Attributes:
        center_phone (str):
        customer_email (str):
        customer_first_name (str):
        customer_last_name (str):
        customer_phone (str):
        direction (str | Unset): Of calls that we placed; absent when it is not known.
    """

    center_phone: str
    customer_email: str
    customer_first_name: str
    customer_last_name: str
    customer_phone: str
    direction: str | Unset = UNSET
    additional_properties: dict[str, Any] = _attrs_field(init=False, factory=dict)

    def to_dict(self) -> dict[str, Any]:
        center_phone = self.center_phone

        customer_email = self.customer_email

        customer_first_name = self.customer_first_name

        customer_last_name = self.customer_last_name

        customer_phone = self.customer_phone

        direction = self.direction

        field_dict: dict[str, Any] = {}
        field_dict.update(self.additional_properties)
        field_dict.update(
            {
                "CenterPhone": center_phone,
                "CustomerEmail": customer_email,
                "CustomerFirstName": customer_first_name,
                "CustomerLastName": customer_last_name,
                "CustomerPhone": customer_phone,
            }
        )
        if direction is not UNSET:
            field_dict["Direction"] = direction

        return field_dict

    @classmethod
    def from_dict(cls: type[T], src_dict: Mapping[str, Any]) -> T:
        d = dict(src_dict)
        center_phone = d.pop("CenterPhone")

        customer_email = d.pop("CustomerEmail")

        customer_first_name = d.pop("CustomerFirstName")

        customer_last_name = d.pop("CustomerLastName")

        customer_phone = d.pop("CustomerPhone")

        direction = d.pop("Direction", UNSET)

        customer_info = cls(
            center_phone=center_phone,
            customer_email=customer_email,
            customer_first_name=customer_first_name,
            customer_last_name=customer_last_name,
            customer_phone=customer_phone,
            direction=direction,
        )

        customer_info.additional_properties = d
        return customer_info

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
