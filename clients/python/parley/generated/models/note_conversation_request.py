from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, TypeVar, cast

from attrs import define as _attrs_define
from attrs import field as _attrs_field

from ..types import UNSET, Unset

if TYPE_CHECKING:
    from ..models.after_call_work_input import AfterCallWorkInput
    from ..models.note_conversation_request_meta_info import (
        NoteConversationRequestMetaInfo,
    )
    from ..models.tag_input import TagInput


T = TypeVar("T", bound="NoteConversationRequest")


@_attrs_define
class NoteConversationRequest:
    """
    Attributes:
        after_call_work (AfterCallWorkInput | Unset):
        agent_notes (list[str] | Unset):
        disposition_remarks (list[str] | Unset):
        dispositions (list[str] | Unset):
        meta_info (NoteConversationRequestMetaInfo | Unset): Caller data, identities: an object of at most 16 KB.
        notes (list[str] | Unset): Other spelling of agentNotes.
        session_id (str | Unset): The session of the project that the conversation belongs to.
        session_level_tags (list[TagInput] | Unset):
        user_level_tags (list[str] | Unset):
    """

    after_call_work: AfterCallWorkInput | Unset = UNSET
    agent_notes: list[str] | Unset = UNSET
    disposition_remarks: list[str] | Unset = UNSET
    dispositions: list[str] | Unset = UNSET
    meta_info: NoteConversationRequestMetaInfo | Unset = UNSET
    notes: list[str] | Unset = UNSET
    session_id: str | Unset = UNSET
    session_level_tags: list[TagInput] | Unset = UNSET
    user_level_tags: list[str] | Unset = UNSET
    additional_properties: dict[str, Any] = _attrs_field(init=False, factory=dict)

    def to_dict(self) -> dict[str, Any]:
        after_call_work: dict[str, Any] | Unset = UNSET
        if not isinstance(self.after_call_work, Unset):
            after_call_work = self.after_call_work.to_dict()

        agent_notes: list[str] | Unset = UNSET
        if not isinstance(self.agent_notes, Unset):
            agent_notes = self.agent_notes

        disposition_remarks: list[str] | Unset = UNSET
        if not isinstance(self.disposition_remarks, Unset):
            disposition_remarks = self.disposition_remarks

        dispositions: list[str] | Unset = UNSET
        if not isinstance(self.dispositions, Unset):
            dispositions = self.dispositions

        meta_info: dict[str, Any] | Unset = UNSET
        if not isinstance(self.meta_info, Unset):
            meta_info = self.meta_info.to_dict()

        notes: list[str] | Unset = UNSET
        if not isinstance(self.notes, Unset):
            notes = self.notes

        session_id = self.session_id

        session_level_tags: list[dict[str, Any]] | Unset = UNSET
        if not isinstance(self.session_level_tags, Unset):
            session_level_tags = []
            for session_level_tags_item_data in self.session_level_tags:
                session_level_tags_item = session_level_tags_item_data.to_dict()
                session_level_tags.append(session_level_tags_item)

        user_level_tags: list[str] | Unset = UNSET
        if not isinstance(self.user_level_tags, Unset):
            user_level_tags = self.user_level_tags

        field_dict: dict[str, Any] = {}
        field_dict.update(self.additional_properties)
        field_dict.update({})
        if after_call_work is not UNSET:
            field_dict["afterCallWork"] = after_call_work
        if agent_notes is not UNSET:
            field_dict["agentNotes"] = agent_notes
        if disposition_remarks is not UNSET:
            field_dict["dispositionRemarks"] = disposition_remarks
        if dispositions is not UNSET:
            field_dict["dispositions"] = dispositions
        if meta_info is not UNSET:
            field_dict["metaInfo"] = meta_info
        if notes is not UNSET:
            field_dict["notes"] = notes
        if session_id is not UNSET:
            field_dict["sessionId"] = session_id
        if session_level_tags is not UNSET:
            field_dict["sessionLevelTags"] = session_level_tags
        if user_level_tags is not UNSET:
            field_dict["userLevelTags"] = user_level_tags

        return field_dict

    @classmethod
    def from_dict(cls: type[T], src_dict: Mapping[str, Any]) -> T:
        from ..models.after_call_work_input import AfterCallWorkInput  # noqa: PLC0415
        from ..models.note_conversation_request_meta_info import (
            NoteConversationRequestMetaInfo,  # noqa: PLC0415
        )
        from ..models.tag_input import TagInput  # noqa: PLC0415

        d = dict(src_dict)
        _after_call_work = d.pop("afterCallWork", UNSET)
        after_call_work: AfterCallWorkInput | Unset
        if isinstance(_after_call_work, Unset):
            after_call_work = UNSET
        else:
            after_call_work = AfterCallWorkInput.from_dict(_after_call_work)

        agent_notes = cast(list[str], d.pop("agentNotes", UNSET))

        disposition_remarks = cast(list[str], d.pop("dispositionRemarks", UNSET))

        dispositions = cast(list[str], d.pop("dispositions", UNSET))

        _meta_info = d.pop("metaInfo", UNSET)
        meta_info: NoteConversationRequestMetaInfo | Unset
        if isinstance(_meta_info, Unset):
            meta_info = UNSET
        else:
            meta_info = NoteConversationRequestMetaInfo.from_dict(_meta_info)

        notes = cast(list[str], d.pop("notes", UNSET))

        session_id = d.pop("sessionId", UNSET)

        _session_level_tags = d.pop("sessionLevelTags", UNSET)
        session_level_tags: list[TagInput] | Unset = UNSET
        if _session_level_tags is not UNSET:
            session_level_tags = []
            for session_level_tags_item_data in _session_level_tags:
                session_level_tags_item = TagInput.from_dict(
                    session_level_tags_item_data
                )

                session_level_tags.append(session_level_tags_item)

        user_level_tags = cast(list[str], d.pop("userLevelTags", UNSET))

        note_conversation_request = cls(
            after_call_work=after_call_work,
            agent_notes=agent_notes,
            disposition_remarks=disposition_remarks,
            dispositions=dispositions,
            meta_info=meta_info,
            notes=notes,
            session_id=session_id,
            session_level_tags=session_level_tags,
            user_level_tags=user_level_tags,
        )

        note_conversation_request.additional_properties = d
        return note_conversation_request

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
