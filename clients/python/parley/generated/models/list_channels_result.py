from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, TypeVar

from attrs import define as _attrs_define
from attrs import field as _attrs_field

if TYPE_CHECKING:
    from ..models.channel_shown import ChannelShown
    from ..models.pagination import Pagination


T = TypeVar("T", bound="ListChannelsResult")


@_attrs_define
class ListChannelsResult:
    """
    Attributes:
        channels (list[ChannelShown]):
        pagination (Pagination):
        success (bool):
    """

    channels: list[ChannelShown]
    pagination: Pagination
    success: bool
    additional_properties: dict[str, Any] = _attrs_field(init=False, factory=dict)

    def to_dict(self) -> dict[str, Any]:
        channels = []
        for channels_item_data in self.channels:
            channels_item = channels_item_data.to_dict()
            channels.append(channels_item)

        pagination = self.pagination.to_dict()

        success = self.success

        field_dict: dict[str, Any] = {}
        field_dict.update(self.additional_properties)
        field_dict.update(
            {
                "channels": channels,
                "pagination": pagination,
                "success": success,
            }
        )

        return field_dict

    @classmethod
    def from_dict(cls: type[T], src_dict: Mapping[str, Any]) -> T:
        from ..models.channel_shown import ChannelShown  # noqa: PLC0415
        from ..models.pagination import Pagination  # noqa: PLC0415

        d = dict(src_dict)
        channels = []
        _channels = d.pop("channels")
        for channels_item_data in _channels:
            channels_item = ChannelShown.from_dict(channels_item_data)

            channels.append(channels_item)

        pagination = Pagination.from_dict(d.pop("pagination"))

        success = d.pop("success")

        list_channels_result = cls(
            channels=channels,
            pagination=pagination,
            success=success,
        )

        list_channels_result.additional_properties = d
        return list_channels_result

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
