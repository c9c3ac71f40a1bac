from __future__ import annotations

import datetime
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, TypeVar

from attrs import define as _attrs_define
from attrs import field as _attrs_field

from ..types import UNSET, Unset

if TYPE_CHECKING:
    from ..models.kept_days import KeptDays


T = TypeVar("T", bound="KeptFor")


@_attrs_define
class KeptFor:
    """
    Attributes:
        days (KeptDays):
        project_id (str):
        erasure_id (str | Unset): The job of that: see get-erasure.
        looked_at (datetime.datetime | Unset): When it was looked last.
        next_at (datetime.datetime | Unset): When it is looked next whether something is too old.
        set_at (datetime.datetime | Unset):
    """

    days: KeptDays
    project_id: str
    erasure_id: str | Unset = UNSET
    looked_at: datetime.datetime | Unset = UNSET
    next_at: datetime.datetime | Unset = UNSET
    set_at: datetime.datetime | Unset = UNSET
    additional_properties: dict[str, Any] = _attrs_field(init=False, factory=dict)

    def to_dict(self) -> dict[str, Any]:
        days = self.days.to_dict()

        project_id = self.project_id

        erasure_id = self.erasure_id

        looked_at: str | Unset = UNSET
        if not isinstance(self.looked_at, Unset):
            looked_at = self.looked_at.isoformat()

        next_at: str | Unset = UNSET
        if not isinstance(self.next_at, Unset):
            next_at = self.next_at.isoformat()

        set_at: str | Unset = UNSET
        if not isinstance(self.set_at, Unset):
            set_at = self.set_at.isoformat()

        field_dict: dict[str, Any] = {}
        field_dict.update(self.additional_properties)
        field_dict.update(
            {
                "days": days,
                "projectId": project_id,
            }
        )
        if erasure_id is not UNSET:
            field_dict["erasureId"] = erasure_id
        if looked_at is not UNSET:
            field_dict["lookedAt"] = looked_at
        if next_at is not UNSET:
            field_dict["nextAt"] = next_at
        if set_at is not UNSET:
            field_dict["setAt"] = set_at

        return field_dict

    @classmethod
    def from_dict(cls: type[T], src_dict: Mapping[str, Any]) -> T:
        from ..models.kept_days import KeptDays  # noqa: PLC0415

        d = dict(src_dict)
        days = KeptDays.from_dict(d.pop("days"))

        project_id = d.pop("projectId")

        erasure_id = d.pop("erasureId", UNSET)

        _looked_at = d.pop("lookedAt", UNSET)
        looked_at: datetime.datetime | Unset
        if isinstance(_looked_at, Unset):
            looked_at = UNSET
        else:
            looked_at = datetime.datetime.fromisoformat(_looked_at)

        _next_at = d.pop("nextAt", UNSET)
        next_at: datetime.datetime | Unset
        if isinstance(_next_at, Unset):
            next_at = UNSET
        else:
            next_at = datetime.datetime.fromisoformat(_next_at)

        _set_at = d.pop("setAt", UNSET)
        set_at: datetime.datetime | Unset
        if isinstance(_set_at, Unset):
            set_at = UNSET
        else:
            set_at = datetime.datetime.fromisoformat(_set_at)

        kept_for = cls(
            days=days,
            project_id=project_id,
            erasure_id=erasure_id,
            looked_at=looked_at,
            next_at=next_at,
            set_at=set_at,
        )

        kept_for.additional_properties = d
        return kept_for

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
