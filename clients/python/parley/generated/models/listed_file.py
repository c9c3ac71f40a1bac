from __future__ import annotations

from collections.abc import Mapping
from typing import Any, TypeVar

from attrs import define as _attrs_define
from attrs import field as _attrs_field

T = TypeVar("T", bound="ListedFile")


@_attrs_define
class ListedFile:
    """
    Attributes:
        attachment_id (str):
        filename (str):
        mime_type (str): As its content says.
        size_bytes (int):
        url (str): Where download-file gives it, as something to keep, for an hour from now (extension).
    """

    attachment_id: str
    filename: str
    mime_type: str
    size_bytes: int
    url: str
    additional_properties: dict[str, Any] = _attrs_field(init=False, factory=dict)

    def to_dict(self) -> dict[str, Any]:
        attachment_id = self.attachment_id

        filename = self.filename

        mime_type = self.mime_type

        size_bytes = self.size_bytes

        url = self.url

        field_dict: dict[str, Any] = {}
        field_dict.update(self.additional_properties)
        field_dict.update(
            {
                "attachmentId": attachment_id,
                "filename": filename,
                "mimeType": mime_type,
                "sizeBytes": size_bytes,
                "url": url,
            }
        )

        return field_dict

    @classmethod
    def from_dict(cls: type[T], src_dict: Mapping[str, Any]) -> T:
        d = dict(src_dict)
        attachment_id = d.pop("attachmentId")

        filename = d.pop("filename")

        mime_type = d.pop("mimeType")

        size_bytes = d.pop("sizeBytes")

        url = d.pop("url")

        listed_file = cls(
            attachment_id=attachment_id,
            filename=filename,
            mime_type=mime_type,
            size_bytes=size_bytes,
            url=url,
        )

        listed_file.additional_properties = d
        return listed_file

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
