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
        type_ (ChatOutcomeType): escalated: people have the session, or are asked to; until they hand it back what the
            user says is for them, and the agent is silent. cancelled: somebody ended the turn before its time; what was
            said until then stays.
        callback_id (str | Unset): Of suspended: by what the answer comes that the session waits for. Widgets and apps
            are not told: whoever knows it can answer.
        conversation_id (str | Unset): Of escalated: in which people answer.
        error (str | Unset): Why the turn failed, as in turn_ended of traceEvents (extension); what was said until then
            stays. Absent: it did not fail.
        transfer_id (str | Unset): Of escalated: the transfer, as list-transfers has it.
    """

    type_: ChatOutcomeType
    callback_id: str | Unset = UNSET
    conversation_id: str | Unset = UNSET
    error: str | Unset = UNSET
    transfer_id: str | Unset = UNSET
    additional_properties: dict[str, Any] = _attrs_field(init=False, factory=dict)

    def to_dict(self) -> dict[str, Any]:
        type_ = self.type_.value

        callback_id = self.callback_id

        conversation_id = self.conversation_id

        error = self.error

        transfer_id = self.transfer_id

        field_dict: dict[str, Any] = {}
        field_dict.update(self.additional_properties)
        field_dict.update(
            {
                "type": type_,
            }
        )
        if callback_id is not UNSET:
            field_dict["callbackId"] = callback_id
        if conversation_id is not UNSET:
            field_dict["conversationId"] = conversation_id
        if error is not UNSET:
            field_dict["error"] = error
        if transfer_id is not UNSET:
            field_dict["transferId"] = transfer_id

        return field_dict

    @classmethod
    def from_dict(cls: type[T], src_dict: Mapping[str, Any]) -> T:
        d = dict(src_dict)
        type_ = ChatOutcomeType(d.pop("type"))

        callback_id = d.pop("callbackId", UNSET)

        conversation_id = d.pop("conversationId", UNSET)

        error = d.pop("error", UNSET)

        transfer_id = d.pop("transferId", UNSET)

        chat_outcome = cls(
            type_=type_,
            callback_id=callback_id,
            conversation_id=conversation_id,
            error=error,
            transfer_id=transfer_id,
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
