from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, TypeVar

from attrs import define as _attrs_define
from attrs import field as _attrs_field

if TYPE_CHECKING:
    from ..models.channel_delivery import ChannelDelivery


T = TypeVar("T", bound="RetryDeliveryResult")


@_attrs_define
class RetryDeliveryResult:
    """
    Attributes:
        delivery (ChannelDelivery):
        success (bool):
    """

    delivery: ChannelDelivery
    success: bool
    additional_properties: dict[str, Any] = _attrs_field(init=False, factory=dict)

    def to_dict(self) -> dict[str, Any]:
        delivery = self.delivery.to_dict()

        success = self.success

        field_dict: dict[str, Any] = {}
        field_dict.update(self.additional_properties)
        field_dict.update(
            {
                "delivery": delivery,
                "success": success,
            }
        )

        return field_dict

    @classmethod
    def from_dict(cls: type[T], src_dict: Mapping[str, Any]) -> T:
        from ..models.channel_delivery import ChannelDelivery  # noqa: PLC0415

        d = dict(src_dict)
        delivery = ChannelDelivery.from_dict(d.pop("delivery"))

        success = d.pop("success")

        retry_delivery_result = cls(
            delivery=delivery,
            success=success,
        )

        retry_delivery_result.additional_properties = d
        return retry_delivery_result

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
