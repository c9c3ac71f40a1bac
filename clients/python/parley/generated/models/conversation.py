from __future__ import annotations

import datetime
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, TypeVar, cast

from attrs import define as _attrs_define
from attrs import field as _attrs_field

from ..models.conversation_experience import ConversationExperience
from ..models.conversation_origin import ConversationOrigin
from ..models.conversation_status import ConversationStatus
from ..types import UNSET, Unset

if TYPE_CHECKING:
    from ..models.after_call_work import AfterCallWork
    from ..models.conversation_meta_info import ConversationMetaInfo
    from ..models.conversation_participant import ConversationParticipant
    from ..models.conversation_summary import ConversationSummary
    from ..models.conversation_tag import ConversationTag


T = TypeVar("T", bound="Conversation")


@_attrs_define
class Conversation:
    """
    Attributes:
        after_call_work (list[AfterCallWork]): One per agent.
        agent_notes (list[str]):
        conversation_id (str):
        disposition_remarks (list[str]):
        dispositions (list[str]):
        opened_at (datetime.datetime):
        origin (ConversationOrigin): Who opened it; call: nobody but the call itself.
        participants (list[ConversationParticipant]): One per stay of an agent, in the order of their entries.
        segments (int): A cold entry begins a segment, a redial does not.
        session_level_tags (list[ConversationTag]):
        status (ConversationStatus): Of agents.
        user_level_tags (list[str]):
        end_reason (str | Unset):
        ended_at (datetime.datetime | Unset):
        entered_at (datetime.datetime | Unset): The first agent's entry.
        experience (ConversationExperience | Unset):
        meta_info (ConversationMetaInfo | Unset):
        session_id (str | Unset):
        summary (ConversationSummary | Unset):
    """

    after_call_work: list[AfterCallWork]
    agent_notes: list[str]
    conversation_id: str
    disposition_remarks: list[str]
    dispositions: list[str]
    opened_at: datetime.datetime
    origin: ConversationOrigin
    participants: list[ConversationParticipant]
    segments: int
    session_level_tags: list[ConversationTag]
    status: ConversationStatus
    user_level_tags: list[str]
    end_reason: str | Unset = UNSET
    ended_at: datetime.datetime | Unset = UNSET
    entered_at: datetime.datetime | Unset = UNSET
    experience: ConversationExperience | Unset = UNSET
    meta_info: ConversationMetaInfo | Unset = UNSET
    session_id: str | Unset = UNSET
    summary: ConversationSummary | Unset = UNSET
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

        opened_at = self.opened_at.isoformat()

        origin = self.origin.value

        participants = []
        for participants_item_data in self.participants:
            participants_item = participants_item_data.to_dict()
            participants.append(participants_item)

        segments = self.segments

        session_level_tags = []
        for session_level_tags_item_data in self.session_level_tags:
            session_level_tags_item = session_level_tags_item_data.to_dict()
            session_level_tags.append(session_level_tags_item)

        status = self.status.value

        user_level_tags = self.user_level_tags

        end_reason = self.end_reason

        ended_at: str | Unset = UNSET
        if not isinstance(self.ended_at, Unset):
            ended_at = self.ended_at.isoformat()

        entered_at: str | Unset = UNSET
        if not isinstance(self.entered_at, Unset):
            entered_at = self.entered_at.isoformat()

        experience: str | Unset = UNSET
        if not isinstance(self.experience, Unset):
            experience = self.experience.value

        meta_info: dict[str, Any] | Unset = UNSET
        if not isinstance(self.meta_info, Unset):
            meta_info = self.meta_info.to_dict()

        session_id = self.session_id

        summary: dict[str, Any] | Unset = UNSET
        if not isinstance(self.summary, Unset):
            summary = self.summary.to_dict()

        field_dict: dict[str, Any] = {}
        field_dict.update(self.additional_properties)
        field_dict.update(
            {
                "afterCallWork": after_call_work,
                "agentNotes": agent_notes,
                "conversationId": conversation_id,
                "dispositionRemarks": disposition_remarks,
                "dispositions": dispositions,
                "openedAt": opened_at,
                "origin": origin,
                "participants": participants,
                "segments": segments,
                "sessionLevelTags": session_level_tags,
                "status": status,
                "userLevelTags": user_level_tags,
            }
        )
        if end_reason is not UNSET:
            field_dict["endReason"] = end_reason
        if ended_at is not UNSET:
            field_dict["endedAt"] = ended_at
        if entered_at is not UNSET:
            field_dict["enteredAt"] = entered_at
        if experience is not UNSET:
            field_dict["experience"] = experience
        if meta_info is not UNSET:
            field_dict["metaInfo"] = meta_info
        if session_id is not UNSET:
            field_dict["sessionId"] = session_id
        if summary is not UNSET:
            field_dict["summary"] = summary

        return field_dict

    @classmethod
    def from_dict(cls: type[T], src_dict: Mapping[str, Any]) -> T:
        from ..models.after_call_work import AfterCallWork  # noqa: PLC0415
        from ..models.conversation_meta_info import (
            ConversationMetaInfo,  # noqa: PLC0415
        )
        from ..models.conversation_participant import (
            ConversationParticipant,  # noqa: PLC0415
        )
        from ..models.conversation_summary import ConversationSummary  # noqa: PLC0415
        from ..models.conversation_tag import ConversationTag  # noqa: PLC0415

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

        opened_at = datetime.datetime.fromisoformat(d.pop("openedAt"))

        origin = ConversationOrigin(d.pop("origin"))

        participants = []
        _participants = d.pop("participants")
        for participants_item_data in _participants:
            participants_item = ConversationParticipant.from_dict(
                participants_item_data
            )

            participants.append(participants_item)

        segments = d.pop("segments")

        session_level_tags = []
        _session_level_tags = d.pop("sessionLevelTags")
        for session_level_tags_item_data in _session_level_tags:
            session_level_tags_item = ConversationTag.from_dict(
                session_level_tags_item_data
            )

            session_level_tags.append(session_level_tags_item)

        status = ConversationStatus(d.pop("status"))

        user_level_tags = cast(list[str], d.pop("userLevelTags"))

        end_reason = d.pop("endReason", UNSET)

        _ended_at = d.pop("endedAt", UNSET)
        ended_at: datetime.datetime | Unset
        if isinstance(_ended_at, Unset):
            ended_at = UNSET
        else:
            ended_at = datetime.datetime.fromisoformat(_ended_at)

        _entered_at = d.pop("enteredAt", UNSET)
        entered_at: datetime.datetime | Unset
        if isinstance(_entered_at, Unset):
            entered_at = UNSET
        else:
            entered_at = datetime.datetime.fromisoformat(_entered_at)

        _experience = d.pop("experience", UNSET)
        experience: ConversationExperience | Unset
        if isinstance(_experience, Unset):
            experience = UNSET
        else:
            experience = ConversationExperience(_experience)

        _meta_info = d.pop("metaInfo", UNSET)
        meta_info: ConversationMetaInfo | Unset
        if isinstance(_meta_info, Unset):
            meta_info = UNSET
        else:
            meta_info = ConversationMetaInfo.from_dict(_meta_info)

        session_id = d.pop("sessionId", UNSET)

        _summary = d.pop("summary", UNSET)
        summary: ConversationSummary | Unset
        if isinstance(_summary, Unset):
            summary = UNSET
        else:
            summary = ConversationSummary.from_dict(_summary)

        conversation = cls(
            after_call_work=after_call_work,
            agent_notes=agent_notes,
            conversation_id=conversation_id,
            disposition_remarks=disposition_remarks,
            dispositions=dispositions,
            opened_at=opened_at,
            origin=origin,
            participants=participants,
            segments=segments,
            session_level_tags=session_level_tags,
            status=status,
            user_level_tags=user_level_tags,
            end_reason=end_reason,
            ended_at=ended_at,
            entered_at=entered_at,
            experience=experience,
            meta_info=meta_info,
            session_id=session_id,
            summary=summary,
        )

        conversation.additional_properties = d
        return conversation

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
