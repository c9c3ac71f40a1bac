from __future__ import annotations

import datetime
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, TypeVar

from attrs import define as _attrs_define
from attrs import field as _attrs_field

from ..models.conversation_participant_entered_by import (
    ConversationParticipantEnteredBy,
)
from ..models.conversation_participant_experience import (
    ConversationParticipantExperience,
)
from ..models.conversation_participant_left_by import ConversationParticipantLeftBy
from ..types import UNSET, Unset

if TYPE_CHECKING:
    from ..models.hook_custom_fields import HookCustomFields


T = TypeVar("T", bound="ConversationParticipant")


@_attrs_define
class ConversationParticipant:
    """
    Attributes:
        custom_fields (HookCustomFields):
        entered_at (datetime.datetime):
        entered_by (ConversationParticipantEnteredBy):
        experience (ConversationParticipantExperience):
        identity (str):
        is_ext_ad (bool):
        name (str):
        segment (int):
        language (str | Unset):
        left_at (datetime.datetime | Unset): Absent while the agent is there.
        left_by (ConversationParticipantLeftBy | Unset):
        reason (str | Unset):
        redialed_at (datetime.datetime | Unset): When a redial continued the stay.
    """

    custom_fields: HookCustomFields
    entered_at: datetime.datetime
    entered_by: ConversationParticipantEnteredBy
    experience: ConversationParticipantExperience
    identity: str
    is_ext_ad: bool
    name: str
    segment: int
    language: str | Unset = UNSET
    left_at: datetime.datetime | Unset = UNSET
    left_by: ConversationParticipantLeftBy | Unset = UNSET
    reason: str | Unset = UNSET
    redialed_at: datetime.datetime | Unset = UNSET
    additional_properties: dict[str, Any] = _attrs_field(init=False, factory=dict)

    def to_dict(self) -> dict[str, Any]:
        custom_fields = self.custom_fields.to_dict()

        entered_at = self.entered_at.isoformat()

        entered_by = self.entered_by.value

        experience = self.experience.value

        identity = self.identity

        is_ext_ad = self.is_ext_ad

        name = self.name

        segment = self.segment

        language = self.language

        left_at: str | Unset = UNSET
        if not isinstance(self.left_at, Unset):
            left_at = self.left_at.isoformat()

        left_by: str | Unset = UNSET
        if not isinstance(self.left_by, Unset):
            left_by = self.left_by.value

        reason = self.reason

        redialed_at: str | Unset = UNSET
        if not isinstance(self.redialed_at, Unset):
            redialed_at = self.redialed_at.isoformat()

        field_dict: dict[str, Any] = {}
        field_dict.update(self.additional_properties)
        field_dict.update(
            {
                "customFields": custom_fields,
                "enteredAt": entered_at,
                "enteredBy": entered_by,
                "experience": experience,
                "identity": identity,
                "isExtAD": is_ext_ad,
                "name": name,
                "segment": segment,
            }
        )
        if language is not UNSET:
            field_dict["language"] = language
        if left_at is not UNSET:
            field_dict["leftAt"] = left_at
        if left_by is not UNSET:
            field_dict["leftBy"] = left_by
        if reason is not UNSET:
            field_dict["reason"] = reason
        if redialed_at is not UNSET:
            field_dict["redialedAt"] = redialed_at

        return field_dict

    @classmethod
    def from_dict(cls: type[T], src_dict: Mapping[str, Any]) -> T:
        from ..models.hook_custom_fields import HookCustomFields  # noqa: PLC0415

        d = dict(src_dict)
        custom_fields = HookCustomFields.from_dict(d.pop("customFields"))

        entered_at = datetime.datetime.fromisoformat(d.pop("enteredAt"))

        entered_by = ConversationParticipantEnteredBy(d.pop("enteredBy"))

        experience = ConversationParticipantExperience(d.pop("experience"))

        identity = d.pop("identity")

        is_ext_ad = d.pop("isExtAD")

        name = d.pop("name")

        segment = d.pop("segment")

        language = d.pop("language", UNSET)

        _left_at = d.pop("leftAt", UNSET)
        left_at: datetime.datetime | Unset
        if isinstance(_left_at, Unset):
            left_at = UNSET
        else:
            left_at = datetime.datetime.fromisoformat(_left_at)

        _left_by = d.pop("leftBy", UNSET)
        left_by: ConversationParticipantLeftBy | Unset
        if isinstance(_left_by, Unset):
            left_by = UNSET
        else:
            left_by = ConversationParticipantLeftBy(_left_by)

        reason = d.pop("reason", UNSET)

        _redialed_at = d.pop("redialedAt", UNSET)
        redialed_at: datetime.datetime | Unset
        if isinstance(_redialed_at, Unset):
            redialed_at = UNSET
        else:
            redialed_at = datetime.datetime.fromisoformat(_redialed_at)

        conversation_participant = cls(
            custom_fields=custom_fields,
            entered_at=entered_at,
            entered_by=entered_by,
            experience=experience,
            identity=identity,
            is_ext_ad=is_ext_ad,
            name=name,
            segment=segment,
            language=language,
            left_at=left_at,
            left_by=left_by,
            reason=reason,
            redialed_at=redialed_at,
        )

        conversation_participant.additional_properties = d
        return conversation_participant

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
