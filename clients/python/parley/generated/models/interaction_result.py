from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, TypeVar

from attrs import define as _attrs_define
from attrs import field as _attrs_field

from ..types import UNSET, Unset

if TYPE_CHECKING:
    from ..models.entry import Entry
    from ..models.sounded import Sounded
    from ..models.tape_out import TapeOut


T = TypeVar("T", bound="InteractionResult")


@_attrs_define
class InteractionResult:
    """
    Attributes:
        conversation_id (str):
        left_out (int): Entries behind these.
        status (str):
        success (bool):
        timeline (list[Entry]):
        recording (TapeOut | Unset):
        sound (Sounded | Unset):
    """

    conversation_id: str
    left_out: int
    status: str
    success: bool
    timeline: list[Entry]
    recording: TapeOut | Unset = UNSET
    sound: Sounded | Unset = UNSET
    additional_properties: dict[str, Any] = _attrs_field(init=False, factory=dict)

    def to_dict(self) -> dict[str, Any]:
        conversation_id = self.conversation_id

        left_out = self.left_out

        status = self.status

        success = self.success

        timeline = []
        for timeline_item_data in self.timeline:
            timeline_item = timeline_item_data.to_dict()
            timeline.append(timeline_item)

        recording: dict[str, Any] | Unset = UNSET
        if not isinstance(self.recording, Unset):
            recording = self.recording.to_dict()

        sound: dict[str, Any] | Unset = UNSET
        if not isinstance(self.sound, Unset):
            sound = self.sound.to_dict()

        field_dict: dict[str, Any] = {}
        field_dict.update(self.additional_properties)
        field_dict.update(
            {
                "conversationId": conversation_id,
                "leftOut": left_out,
                "status": status,
                "success": success,
                "timeline": timeline,
            }
        )
        if recording is not UNSET:
            field_dict["recording"] = recording
        if sound is not UNSET:
            field_dict["sound"] = sound

        return field_dict

    @classmethod
    def from_dict(cls: type[T], src_dict: Mapping[str, Any]) -> T:
        from ..models.entry import Entry  # noqa: PLC0415
        from ..models.sounded import Sounded  # noqa: PLC0415
        from ..models.tape_out import TapeOut  # noqa: PLC0415

        d = dict(src_dict)
        conversation_id = d.pop("conversationId")

        left_out = d.pop("leftOut")

        status = d.pop("status")

        success = d.pop("success")

        timeline = []
        _timeline = d.pop("timeline")
        for timeline_item_data in _timeline:
            timeline_item = Entry.from_dict(timeline_item_data)

            timeline.append(timeline_item)

        _recording = d.pop("recording", UNSET)
        recording: TapeOut | Unset
        if isinstance(_recording, Unset):
            recording = UNSET
        else:
            recording = TapeOut.from_dict(_recording)

        _sound = d.pop("sound", UNSET)
        sound: Sounded | Unset
        if isinstance(_sound, Unset):
            sound = UNSET
        else:
            sound = Sounded.from_dict(_sound)

        interaction_result = cls(
            conversation_id=conversation_id,
            left_out=left_out,
            status=status,
            success=success,
            timeline=timeline,
            recording=recording,
            sound=sound,
        )

        interaction_result.additional_properties = d
        return interaction_result

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
