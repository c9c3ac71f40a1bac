from __future__ import annotations

from collections.abc import Mapping
from typing import Any, TypeVar

from attrs import define as _attrs_define
from attrs import field as _attrs_field

T = TypeVar("T", bound="SearchExportFile")


@_attrs_define
class SearchExportFile:
    """
    Attributes:
        external_file_url (str): Downloads the file, without any credential, for an hour from now.
        file_id (str):
        file_name (str):
        file_url (str): Internal: the name of the file in the blob storage, for operators.
    """

    external_file_url: str
    file_id: str
    file_name: str
    file_url: str
    additional_properties: dict[str, Any] = _attrs_field(init=False, factory=dict)

    def to_dict(self) -> dict[str, Any]:
        external_file_url = self.external_file_url

        file_id = self.file_id

        file_name = self.file_name

        file_url = self.file_url

        field_dict: dict[str, Any] = {}
        field_dict.update(self.additional_properties)
        field_dict.update(
            {
                "externalFileURL": external_file_url,
                "fileId": file_id,
                "fileName": file_name,
                "fileUrl": file_url,
            }
        )

        return field_dict

    @classmethod
    def from_dict(cls: type[T], src_dict: Mapping[str, Any]) -> T:
        d = dict(src_dict)
        external_file_url = d.pop("externalFileURL")

        file_id = d.pop("fileId")

        file_name = d.pop("fileName")

        file_url = d.pop("fileUrl")

        search_export_file = cls(
            external_file_url=external_file_url,
            file_id=file_id,
            file_name=file_name,
            file_url=file_url,
        )

        search_export_file.additional_properties = d
        return search_export_file

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
