from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, TypeVar, cast

from attrs import define as _attrs_define
from attrs import field as _attrs_field

from ..types import UNSET, Unset

if TYPE_CHECKING:
    from ..models.after_call_work import AfterCallWork
    from ..models.conversation_tag import ConversationTag
    from ..models.note_conversation_result_meta_info import (
        NoteConversationResultMetaInfo,
    )


T = TypeVar("T", bound="NoteConversationResult")


@_attrs_define
class NoteConversationResult:
    """
    Attributes:
        after_call_work (list[AfterCallWork]): One per agent.
        agent_notes (list[str]):
        conversation_id (str):
        disposition_remarks (list[str]):
        dispositions (list[str]):
        session_level_tags (list[ConversationTag]):
        success (bool):
        user_level_tags (list[str]):
        meta_info (NoteConversationResultMetaInfo | Unset):
        session_id (str | Unset):
    """

    after_call_work: list[AfterCallWork]
    agent_notes: list[str]
    conversation_id: str
    disposition_remarks: list[str]
    dispositions: list[str]
    session_level_tags: list[ConversationTag]
    success: bool
    user_level_tags: list[str]
    meta_info: NoteConversationResultMetaInfo | Unset = UNSET
    session_id: str | Unset = UNSET
    additional_properties: dict[str, Any] = _attrs_field(init=False, factory=dict)

    def to_dict(self) -> dict[str, Any]:
        after_call_work = []
        for after_call_work_item_data in self.after_call_work:
            after_call_work_item = after_call_work_item_data.to_dict()
            after_call_work.append(after_call_work_item)

        agent_notes = self.agent_notes

        conversation_id = self.conversation_id

        disposition_remarks = self.disposition_remarks

        dispositions = self.dispositions

        session_level_tags = []
        for session_level_tags_item_data in self.session_level_tags:
            session_level_tags_item = session_level_tags_item_data.to_dict()
            session_level_tags.append(session_level_tags_item)

        success = self.success

        user_level_tags = self.user_level_tags

        meta_info: dict[str, Any] | Unset = UNSET
        if not isinstance(self.meta_info, Unset):
            meta_info = self.meta_info.to_dict()

        session_id = self.session_id

        field_dict: dict[str, Any] = {}
        field_dict.update(self.additional_properties)
        field_dict.update(
            {
                "afterCallWork": after_call_work,
                "agentNotes": agent_notes,
                "conversationId": conversation_id,
                "dispositionRemarks": disposition_remarks,
                "dispositions": dispositions,
                "sessionLevelTags": session_level_tags,
                "success": success,
                "userLevelTags": user_level_tags,
            }
        )
        if meta_info is not UNSET:
            field_dict["metaInfo"] = meta_info
        if session_id is not UNSET:
            field_dict["sessionId"] = session_id

        return field_dict

    @classmethod
    def from_dict(cls: type[T], src_dict: Mapping[str, Any]) -> T:
        from ..models.after_call_work import AfterCallWork  # noqa: PLC0415
        from ..models.conversation_tag import ConversationTag  # noqa: PLC0415
        from ..models.note_conversation_result_meta_info import (
            NoteConversationResultMetaInfo,  # noqa: PLC0415
        )

        d = dict(src_dict)
        after_call_work = []
        _after_call_work = d.pop("afterCallWork")
        for after_call_work_item_data in _after_call_work:
            after_call_work_item = AfterCallWork.from_dict(after_call_work_item_data)

            after_call_work.append(after_call_work_item)

        agent_notes = cast(list[str], d.pop("agentNotes"))

        conversation_id = d.pop("conversationId")

        disposition_remarks = cast(list[str], d.pop("dispositionRemarks"))

        dispositions = cast(list[str], d.pop("dispositions"))

        session_level_tags = []
        _session_level_tags = d.pop("sessionLevelTags")
        for session_level_tags_item_data in _session_level_tags:
            session_level_tags_item = ConversationTag.from_dict(
                session_level_tags_item_data
            )

            session_level_tags.append(session_level_tags_item)

        success = d.pop("success")

        user_level_tags = cast(list[str], d.pop("userLevelTags"))

        _meta_info = d.pop("metaInfo", UNSET)
        meta_info: NoteConversationResultMetaInfo | Unset
        if isinstance(_meta_info, Unset):
            meta_info = UNSET
        else:
            meta_info = NoteConversationResultMetaInfo.from_dict(_meta_info)

        session_id = d.pop("sessionId", UNSET)

        note_conversation_result = cls(
            after_call_work=after_call_work,
            agent_notes=agent_notes,
            conversation_id=conversation_id,
            disposition_remarks=disposition_remarks,
            dispositions=dispositions,
            session_level_tags=session_level_tags,
            success=success,
            user_level_tags=user_level_tags,
            meta_info=meta_info,
            session_id=session_id,
        )

        note_conversation_result.additional_properties = d
        return note_conversation_result

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
