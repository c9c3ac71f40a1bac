from __future__ import annotations

from collections.abc import Mapping
from typing import Any, TypeVar, cast

from attrs import define as _attrs_define
from attrs import field as _attrs_field

from ..models.assign_conversation_request_transferred_type import (
    AssignConversationRequestTransferredType,
)
from ..types import UNSET, Unset

T = TypeVar("T", bound="AssignConversationRequest")


@_attrs_define
class AssignConversationRequest:
    """
    Attributes:
        a_id (str | Unset): The human agent to transfer to; or queueId.
        bot_session_id (str | Unset): The session to be transferred. Required here or in the query.
        callback_url (str | Unset): Absolute http or https URL that receives success and failure, signed. Required here
            or in the query.
        org_id (str | Unset): The account's organisation. Required here or in the query.
        queue_id (str | Unset): The queue to transfer to, together with transferredType.
        skills (list[str] | Unset): Ids of skills that the agent must have beside those of the queue (extension).
        transferred_type (AssignConversationRequestTransferredType | Unset): QUEUE with queueId.
    """

    a_id: str | Unset = UNSET
    bot_session_id: str | Unset = UNSET
    callback_url: str | Unset = UNSET
    org_id: str | Unset = UNSET
    queue_id: str | Unset = UNSET
    skills: list[str] | Unset = UNSET
    transferred_type: AssignConversationRequestTransferredType | Unset = UNSET
    additional_properties: dict[str, Any] = _attrs_field(init=False, factory=dict)

    def to_dict(self) -> dict[str, Any]:
        a_id = self.a_id

        bot_session_id = self.bot_session_id

        callback_url = self.callback_url

        org_id = self.org_id

        queue_id = self.queue_id

        skills: list[str] | Unset = UNSET
        if not isinstance(self.skills, Unset):
            skills = self.skills

        transferred_type: str | Unset = UNSET
        if not isinstance(self.transferred_type, Unset):
            transferred_type = self.transferred_type.value

        field_dict: dict[str, Any] = {}
        field_dict.update(self.additional_properties)
        field_dict.update({})
        if a_id is not UNSET:
            field_dict["aId"] = a_id
        if bot_session_id is not UNSET:
            field_dict["botSessionId"] = bot_session_id
        if callback_url is not UNSET:
            field_dict["callbackUrl"] = callback_url
        if org_id is not UNSET:
            field_dict["orgId"] = org_id
        if queue_id is not UNSET:
            field_dict["queueId"] = queue_id
        if skills is not UNSET:
            field_dict["skills"] = skills
        if transferred_type is not UNSET:
            field_dict["transferredType"] = transferred_type

        return field_dict

    @classmethod
    def from_dict(cls: type[T], src_dict: Mapping[str, Any]) -> T:
        d = dict(src_dict)
        a_id = d.pop("aId", UNSET)

        bot_session_id = d.pop("botSessionId", UNSET)

        callback_url = d.pop("callbackUrl", UNSET)

        org_id = d.pop("orgId", UNSET)

        queue_id = d.pop("queueId", UNSET)

        skills = cast(list[str], d.pop("skills", UNSET))

        _transferred_type = d.pop("transferredType", UNSET)
        transferred_type: AssignConversationRequestTransferredType | Unset
        if isinstance(_transferred_type, Unset):
            transferred_type = UNSET
        else:
            transferred_type = AssignConversationRequestTransferredType(
                _transferred_type
            )

        assign_conversation_request = cls(
            a_id=a_id,
            bot_session_id=bot_session_id,
            callback_url=callback_url,
            org_id=org_id,
            queue_id=queue_id,
            skills=skills,
            transferred_type=transferred_type,
        )

        assign_conversation_request.additional_properties = d
        return assign_conversation_request

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
