from __future__ import annotations

from collections.abc import Mapping
from typing import Any, TypeVar

from attrs import define as _attrs_define
from attrs import field as _attrs_field

from ..models.chat_outcome_type import ChatOutcomeType
from ..types import UNSET, Unset

T = TypeVar("T", bound="ChatOutcome")


@_attrs_define
class ChatOutcome:
    """
    Attributes:
        type_ (ChatOutcomeType):
        callback_id (str | Unset): Of suspended: by what the answer comes that the session waits for.
    """

    type_: ChatOutcomeType
    callback_id: str | Unset = UNSET
    additional_properties: dict[str, Any] = _attrs_field(init=False, factory=dict)

    def to_dict(self) -> dict[str, Any]:
        type_ = self.type_.value

        callback_id = self.callback_id

        field_dict: dict[str, Any] = {}
        field_dict.update(self.additional_properties)
        field_dict.update(
            {
                "type": type_,
            }
        )
        if callback_id is not UNSET:
            field_dict["callbackId"] = callback_id

        return field_dict

    @classmethod
    def from_dict(cls: type[T], src_dict: Mapping[str, Any]) -> T:
        d = dict(src_dict)
        type_ = ChatOutcomeType(d.pop("type"))

        callback_id = d.pop("callbackId", UNSET)

        chat_outcome = cls(
            type_=type_,
            callback_id=callback_id,
        )

        chat_outcome.additional_properties = d
        return chat_outcome

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
