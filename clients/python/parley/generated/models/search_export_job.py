from __future__ import annotations

import datetime
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, TypeVar

from attrs import define as _attrs_define
from attrs import field as _attrs_field

from ..models.search_export_job_status import SearchExportJobStatus
from ..types import UNSET, Unset

if TYPE_CHECKING:
    from ..models.search_export_feature import SearchExportFeature
    from ..models.search_export_file import SearchExportFile


T = TypeVar("T", bound="SearchExportJob")


@_attrs_define
class SearchExportJob:
    """
    Attributes:
        field_id (str):
        created_on (datetime.datetime):
        status (SearchExportJobStatus):
        validation (list[SearchExportFeature]): One item per exported feature; empty until SUCCESS.
        file_info (SearchExportFile | Unset):
        reason (str | Unset): On FAILED: why.
        search_index_id (str | Unset): Absent when the project had no search index.
    """

    field_id: str
    created_on: datetime.datetime
    status: SearchExportJobStatus
    validation: list[SearchExportFeature]
    file_info: SearchExportFile | Unset = UNSET
    reason: str | Unset = UNSET
    search_index_id: str | Unset = UNSET
    additional_properties: dict[str, Any] = _attrs_field(init=False, factory=dict)

    def to_dict(self) -> dict[str, Any]:
        field_id = self.field_id

        created_on = self.created_on.isoformat()

        status = self.status.value

        validation = []
        for validation_item_data in self.validation:
            validation_item = validation_item_data.to_dict()
            validation.append(validation_item)

        file_info: dict[str, Any] | Unset = UNSET
        if not isinstance(self.file_info, Unset):
            file_info = self.file_info.to_dict()

        reason = self.reason

        search_index_id = self.search_index_id

        field_dict: dict[str, Any] = {}
        field_dict.update(self.additional_properties)
        field_dict.update(
            {
                "_id": field_id,
                "createdOn": created_on,
                "status": status,
                "validation": validation,
            }
        )
        if file_info is not UNSET:
            field_dict["fileInfo"] = file_info
        if reason is not UNSET:
            field_dict["reason"] = reason
        if search_index_id is not UNSET:
            field_dict["searchIndexId"] = search_index_id

        return field_dict

    @classmethod
    def from_dict(cls: type[T], src_dict: Mapping[str, Any]) -> T:
        from ..models.search_export_feature import SearchExportFeature  # noqa: PLC0415
        from ..models.search_export_file import SearchExportFile  # noqa: PLC0415

        d = dict(src_dict)
        field_id = d.pop("_id")

        created_on = datetime.datetime.fromisoformat(d.pop("createdOn"))

        status = SearchExportJobStatus(d.pop("status"))

        validation = []
        _validation = d.pop("validation")
        for validation_item_data in _validation:
            validation_item = SearchExportFeature.from_dict(validation_item_data)

            validation.append(validation_item)

        _file_info = d.pop("fileInfo", UNSET)
        file_info: SearchExportFile | Unset
        if isinstance(_file_info, Unset):
            file_info = UNSET
        else:
            file_info = SearchExportFile.from_dict(_file_info)

        reason = d.pop("reason", UNSET)

        search_index_id = d.pop("searchIndexId", UNSET)

        search_export_job = cls(
            field_id=field_id,
            created_on=created_on,
            status=status,
            validation=validation,
            file_info=file_info,
            reason=reason,
            search_index_id=search_index_id,
        )

        search_export_job.additional_properties = d
        return search_export_job

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
