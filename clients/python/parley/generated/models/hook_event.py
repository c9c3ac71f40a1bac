from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, TypeVar, cast

from attrs import define as _attrs_define
from attrs import field as _attrs_field

from ..models.hook_event_is_ext_ad_type_1 import HookEventIsExtADType1
from ..types import UNSET, Unset

if TYPE_CHECKING:
    from ..models.hook_participant import HookParticipant
    from ..models.hook_summary import HookSummary


T = TypeVar("T", bound="HookEvent")


@_attrs_define
class HookEvent:
    """
    Attributes:
        name (str): INTERNAL_TRANSFER_EVENT, TRIGGER_SUMMARY_EVENT or END_OF_CONVERSATION.
        data (HookSummary | Unset):
        experience (str | Unset): chat or voice; required of a transfer and of the end.
        is_ext_ad (bool | HookEventIsExtADType1 | Unset): Required of a transfer: whether the agent uses an external
            desktop.
        language (str | Unset): Required of the end.
        participant (HookParticipant | Unset):
        reason (str | Unset): Required of the end.
        transfertype (str | Unset): NA, COLD, WARM or redial, in either case; of a transfer.
        transition (str | Unset): entry or exit; of a transfer. A redial is an entry only.
    """

    name: str
    data: HookSummary | Unset = UNSET
    experience: str | Unset = UNSET
    is_ext_ad: bool | HookEventIsExtADType1 | Unset = UNSET
    language: str | Unset = UNSET
    participant: HookParticipant | Unset = UNSET
    reason: str | Unset = UNSET
    transfertype: str | Unset = UNSET
    transition: str | Unset = UNSET
    additional_properties: dict[str, Any] = _attrs_field(init=False, factory=dict)

    def to_dict(self) -> dict[str, Any]:
        name = self.name

        data: dict[str, Any] | Unset = UNSET
        if not isinstance(self.data, Unset):
            data = self.data.to_dict()

        experience = self.experience

        is_ext_ad: bool | str | Unset
        if isinstance(self.is_ext_ad, Unset):
            is_ext_ad = UNSET
        elif isinstance(self.is_ext_ad, HookEventIsExtADType1):
            is_ext_ad = self.is_ext_ad.value
        else:
            is_ext_ad = self.is_ext_ad

        language = self.language

        participant: dict[str, Any] | Unset = UNSET
        if not isinstance(self.participant, Unset):
            participant = self.participant.to_dict()

        reason = self.reason

        transfertype = self.transfertype

        transition = self.transition

        field_dict: dict[str, Any] = {}
        field_dict.update(self.additional_properties)
        field_dict.update(
            {
                "name": name,
            }
        )
        if data is not UNSET:
            field_dict["data"] = data
        if experience is not UNSET:
            field_dict["experience"] = experience
        if is_ext_ad is not UNSET:
            field_dict["isExtAD"] = is_ext_ad
        if language is not UNSET:
            field_dict["language"] = language
        if participant is not UNSET:
            field_dict["participant"] = participant
        if reason is not UNSET:
            field_dict["reason"] = reason
        if transfertype is not UNSET:
            field_dict["transfertype"] = transfertype
        if transition is not UNSET:
            field_dict["transition"] = transition

        return field_dict

    @classmethod
    def from_dict(cls: type[T], src_dict: Mapping[str, Any]) -> T:
        from ..models.hook_participant import HookParticipant  # noqa: PLC0415
        from ..models.hook_summary import HookSummary  # noqa: PLC0415

        d = dict(src_dict)
        name = d.pop("name")

        _data = d.pop("data", UNSET)
        data: HookSummary | Unset
        if isinstance(_data, Unset):
            data = UNSET
        else:
            data = HookSummary.from_dict(_data)

        experience = d.pop("experience", UNSET)

        def _parse_is_ext_ad(data: object) -> bool | HookEventIsExtADType1 | Unset:
            if isinstance(data, Unset):
                return data
            try:
                if not isinstance(data, str):
                    raise TypeError()
                is_ext_ad_type_1 = HookEventIsExtADType1(data)

                return is_ext_ad_type_1
            except (TypeError, ValueError, AttributeError, KeyError):
                pass
            return cast(bool | HookEventIsExtADType1 | Unset, data)

        is_ext_ad = _parse_is_ext_ad(d.pop("isExtAD", UNSET))

        language = d.pop("language", UNSET)

        _participant = d.pop("participant", UNSET)
        participant: HookParticipant | Unset
        if isinstance(_participant, Unset):
            participant = UNSET
        else:
            participant = HookParticipant.from_dict(_participant)

        reason = d.pop("reason", UNSET)

        transfertype = d.pop("transfertype", UNSET)

        transition = d.pop("transition", UNSET)

        hook_event = cls(
            name=name,
            data=data,
            experience=experience,
            is_ext_ad=is_ext_ad,
            language=language,
            participant=participant,
            reason=reason,
            transfertype=transfertype,
            transition=transition,
        )

        hook_event.additional_properties = d
        return hook_event

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
