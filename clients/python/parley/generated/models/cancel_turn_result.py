from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, TypeVar

from attrs import define as _attrs_define
from attrs import field as _attrs_field

if TYPE_CHECKING:
    from ..models.session_status import SessionStatus


T = TypeVar("T", bound="CancelTurnResult")


@_attrs_define
class CancelTurnResult:
    """
    Attributes:
        session (SessionStatus):
        success (bool):
        turn (int): That was cancelled.
    """

    session: SessionStatus
    success: bool
    turn: int
    additional_properties: dict[str, Any] = _attrs_field(init=False, factory=dict)

    def to_dict(self) -> dict[str, Any]:
        session = self.session.to_dict()

        success = self.success

        turn = self.turn

        field_dict: dict[str, Any] = {}
        field_dict.update(self.additional_properties)
        field_dict.update(
            {
                "session": session,
                "success": success,
                "turn": turn,
            }
        )

        return field_dict

    @classmethod
    def from_dict(cls: type[T], src_dict: Mapping[str, Any]) -> T:
        from ..models.session_status import SessionStatus  # noqa: PLC0415

        d = dict(src_dict)
        session = SessionStatus.from_dict(d.pop("session"))

        success = d.pop("success")

        turn = d.pop("turn")

        cancel_turn_result = cls(
            session=session,
            success=success,
            turn=turn,
        )

        cancel_turn_result.additional_properties = d
        return cancel_turn_result

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
