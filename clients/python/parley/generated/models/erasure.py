from __future__ import annotations

import datetime
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, TypeVar

from attrs import define as _attrs_define
from attrs import field as _attrs_field

from ..models.erasure_status import ErasureStatus
from ..types import UNSET, Unset

if TYPE_CHECKING:
    from ..models.erasure_forgotten import ErasureForgotten


T = TypeVar("T", bound="Erasure")


@_attrs_define
class Erasure:
    """
    Attributes:
        erasure_id (str):
        forgotten (ErasureForgotten): On done: in how many streams the person was forgotten, by category.
        requested_at (datetime.datetime):
        status (ErasureStatus):
        ended_at (datetime.datetime | Unset):
        project_id (str | Unset): Of a job that forgets what the project keeps no longer (set-retention). Absent: it is
            about a person.
    """

    erasure_id: str
    forgotten: ErasureForgotten
    requested_at: datetime.datetime
    status: ErasureStatus
    ended_at: datetime.datetime | Unset = UNSET
    project_id: str | Unset = UNSET
    additional_properties: dict[str, Any] = _attrs_field(init=False, factory=dict)

    def to_dict(self) -> dict[str, Any]:
        erasure_id = self.erasure_id

        forgotten = self.forgotten.to_dict()

        requested_at = self.requested_at.isoformat()

        status = self.status.value

        ended_at: str | Unset = UNSET
        if not isinstance(self.ended_at, Unset):
            ended_at = self.ended_at.isoformat()

        project_id = self.project_id

        field_dict: dict[str, Any] = {}
        field_dict.update(self.additional_properties)
        field_dict.update(
            {
                "erasureId": erasure_id,
                "forgotten": forgotten,
                "requestedAt": requested_at,
                "status": status,
            }
        )
        if ended_at is not UNSET:
            field_dict["endedAt"] = ended_at
        if project_id is not UNSET:
            field_dict["projectId"] = project_id

        return field_dict

    @classmethod
    def from_dict(cls: type[T], src_dict: Mapping[str, Any]) -> T:
        from ..models.erasure_forgotten import ErasureForgotten  # noqa: PLC0415

        d = dict(src_dict)
        erasure_id = d.pop("erasureId")

        forgotten = ErasureForgotten.from_dict(d.pop("forgotten"))

        requested_at = datetime.datetime.fromisoformat(d.pop("requestedAt"))

        status = ErasureStatus(d.pop("status"))

        _ended_at = d.pop("endedAt", UNSET)
        ended_at: datetime.datetime | Unset
        if isinstance(_ended_at, Unset):
            ended_at = UNSET
        else:
            ended_at = datetime.datetime.fromisoformat(_ended_at)

        project_id = d.pop("projectId", UNSET)

        erasure = cls(
            erasure_id=erasure_id,
            forgotten=forgotten,
            requested_at=requested_at,
            status=status,
            ended_at=ended_at,
            project_id=project_id,
        )

        erasure.additional_properties = d
        return erasure

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
