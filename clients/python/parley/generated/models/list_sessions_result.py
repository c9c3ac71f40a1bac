from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, TypeVar

from attrs import define as _attrs_define
from attrs import field as _attrs_field

if TYPE_CHECKING:
    from ..models.session_summary import SessionSummary


T = TypeVar("T", bound="ListSessionsResult")


@_attrs_define
class ListSessionsResult:
    """
    Attributes:
        limit (int):
        offset (int):
        sessions (list[SessionSummary]):
        success (bool):
        total (int): How many there are in all.
    """

    limit: int
    offset: int
    sessions: list[SessionSummary]
    success: bool
    total: int
    additional_properties: dict[str, Any] = _attrs_field(init=False, factory=dict)

    def to_dict(self) -> dict[str, Any]:
        limit = self.limit

        offset = self.offset

        sessions = []
        for sessions_item_data in self.sessions:
            sessions_item = sessions_item_data.to_dict()
            sessions.append(sessions_item)

        success = self.success

        total = self.total

        field_dict: dict[str, Any] = {}
        field_dict.update(self.additional_properties)
        field_dict.update(
            {
                "limit": limit,
                "offset": offset,
                "sessions": sessions,
                "success": success,
                "total": total,
            }
        )

        return field_dict

    @classmethod
    def from_dict(cls: type[T], src_dict: Mapping[str, Any]) -> T:
        from ..models.session_summary import SessionSummary  # noqa: PLC0415

        d = dict(src_dict)
        limit = d.pop("limit")

        offset = d.pop("offset")

        sessions = []
        _sessions = d.pop("sessions")
        for sessions_item_data in _sessions:
            sessions_item = SessionSummary.from_dict(sessions_item_data)

            sessions.append(sessions_item)

        success = d.pop("success")

        total = d.pop("total")

        list_sessions_result = cls(
            limit=limit,
            offset=offset,
            sessions=sessions,
            success=success,
            total=total,
        )

        list_sessions_result.additional_properties = d
        return list_sessions_result

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
