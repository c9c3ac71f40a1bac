from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, TypeVar

from attrs import define as _attrs_define
from attrs import field as _attrs_field

if TYPE_CHECKING:
    from ..models.connection_shown import ConnectionShown


T = TypeVar("T", bound="ConnectionResult")


@_attrs_define
class ConnectionResult:
    """
    Attributes:
        connection (ConnectionShown):
        success (bool):
    """

    connection: ConnectionShown
    success: bool
    additional_properties: dict[str, Any] = _attrs_field(init=False, factory=dict)

    def to_dict(self) -> dict[str, Any]:
        connection = self.connection.to_dict()

        success = self.success

        field_dict: dict[str, Any] = {}
        field_dict.update(self.additional_properties)
        field_dict.update(
            {
                "connection": connection,
                "success": success,
            }
        )

        return field_dict

    @classmethod
    def from_dict(cls: type[T], src_dict: Mapping[str, Any]) -> T:
        from ..models.connection_shown import ConnectionShown  # noqa: PLC0415

        d = dict(src_dict)
        connection = ConnectionShown.from_dict(d.pop("connection"))

        success = d.pop("success")

        connection_result = cls(
            connection=connection,
            success=success,
        )

        connection_result.additional_properties = d
        return connection_result

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
