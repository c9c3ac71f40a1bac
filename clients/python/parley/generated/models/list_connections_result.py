from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, TypeVar

from attrs import define as _attrs_define
from attrs import field as _attrs_field

if TYPE_CHECKING:
    from ..models.connection_shown import ConnectionShown
    from ..models.pagination import Pagination


T = TypeVar("T", bound="ListConnectionsResult")


@_attrs_define
class ListConnectionsResult:
    """
    Attributes:
        connections (list[ConnectionShown]):
        pagination (Pagination):
        success (bool):
    """

    connections: list[ConnectionShown]
    pagination: Pagination
    success: bool
    additional_properties: dict[str, Any] = _attrs_field(init=False, factory=dict)

    def to_dict(self) -> dict[str, Any]:
        connections = []
        for connections_item_data in self.connections:
            connections_item = connections_item_data.to_dict()
            connections.append(connections_item)

        pagination = self.pagination.to_dict()

        success = self.success

        field_dict: dict[str, Any] = {}
        field_dict.update(self.additional_properties)
        field_dict.update(
            {
                "connections": connections,
                "pagination": pagination,
                "success": success,
            }
        )

        return field_dict

    @classmethod
    def from_dict(cls: type[T], src_dict: Mapping[str, Any]) -> T:
        from ..models.connection_shown import ConnectionShown  # noqa: PLC0415
        from ..models.pagination import Pagination  # noqa: PLC0415

        d = dict(src_dict)
        connections = []
        _connections = d.pop("connections")
        for connections_item_data in _connections:
            connections_item = ConnectionShown.from_dict(connections_item_data)

            connections.append(connections_item)

        pagination = Pagination.from_dict(d.pop("pagination"))

        success = d.pop("success")

        list_connections_result = cls(
            connections=connections,
            pagination=pagination,
            success=success,
        )

        list_connections_result.additional_properties = d
        return list_connections_result

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
