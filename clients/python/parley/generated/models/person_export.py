from __future__ import annotations

import datetime
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, TypeVar

from attrs import define as _attrs_define
from attrs import field as _attrs_field

if TYPE_CHECKING:
    from ..models.person_export_streams import PersonExportStreams


T = TypeVar("T", bound="PersonExport")


@_attrs_define
class PersonExport:
    """
    Attributes:
        at (datetime.datetime):
        by (str): Who asked, as actor of events.
        disclosure_id (str):
        streams (PersonExportStreams): In how many streams the person was, by category.
    """

    at: datetime.datetime
    by: str
    disclosure_id: str
    streams: PersonExportStreams
    additional_properties: dict[str, Any] = _attrs_field(init=False, factory=dict)

    def to_dict(self) -> dict[str, Any]:
        at = self.at.isoformat()

        by = self.by

        disclosure_id = self.disclosure_id

        streams = self.streams.to_dict()

        field_dict: dict[str, Any] = {}
        field_dict.update(self.additional_properties)
        field_dict.update(
            {
                "at": at,
                "by": by,
                "disclosureId": disclosure_id,
                "streams": streams,
            }
        )

        return field_dict

    @classmethod
    def from_dict(cls: type[T], src_dict: Mapping[str, Any]) -> T:
        from ..models.person_export_streams import PersonExportStreams  # noqa: PLC0415

        d = dict(src_dict)
        at = datetime.datetime.fromisoformat(d.pop("at"))

        by = d.pop("by")

        disclosure_id = d.pop("disclosureId")

        streams = PersonExportStreams.from_dict(d.pop("streams"))

        person_export = cls(
            at=at,
            by=by,
            disclosure_id=disclosure_id,
            streams=streams,
        )

        person_export.additional_properties = d
        return person_export

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
