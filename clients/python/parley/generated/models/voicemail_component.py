from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, TypeVar, cast

from attrs import define as _attrs_define
from attrs import field as _attrs_field

from ..models.voicemail_component_ct import VoicemailComponentCT

if TYPE_CHECKING:
    from ..models.voicemail_text import VoicemailText


T = TypeVar("T", bound="VoicemailComponent")


@_attrs_define
class VoicemailComponent:
    """
    Attributes:
        field_id (str):
        c_t (VoicemailComponentCT):
        data (VoicemailText):
        thumbnails (list[str]):
    """

    field_id: str
    c_t: VoicemailComponentCT
    data: VoicemailText
    thumbnails: list[str]
    additional_properties: dict[str, Any] = _attrs_field(init=False, factory=dict)

    def to_dict(self) -> dict[str, Any]:
        field_id = self.field_id

        c_t = self.c_t.value

        data = self.data.to_dict()

        thumbnails = self.thumbnails

        field_dict: dict[str, Any] = {}
        field_dict.update(self.additional_properties)
        field_dict.update(
            {
                "_id": field_id,
                "cT": c_t,
                "data": data,
                "thumbnails": thumbnails,
            }
        )

        return field_dict

    @classmethod
    def from_dict(cls: type[T], src_dict: Mapping[str, Any]) -> T:
        from ..models.voicemail_text import VoicemailText  # noqa: PLC0415

        d = dict(src_dict)
        field_id = d.pop("_id")

        c_t = VoicemailComponentCT(d.pop("cT"))

        data = VoicemailText.from_dict(d.pop("data"))

        thumbnails = cast(list[str], d.pop("thumbnails"))

        voicemail_component = cls(
            field_id=field_id,
            c_t=c_t,
            data=data,
            thumbnails=thumbnails,
        )

        voicemail_component.additional_properties = d
        return voicemail_component

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
