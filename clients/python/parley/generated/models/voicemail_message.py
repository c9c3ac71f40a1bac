from __future__ import annotations

import datetime
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, TypeVar

from attrs import define as _attrs_define
from attrs import field as _attrs_field

from ..models.voicemail_message_status import VoicemailMessageStatus
from ..models.voicemail_message_type import VoicemailMessageType

if TYPE_CHECKING:
    from ..models.voicemail_author import VoicemailAuthor
    from ..models.voicemail_channel import VoicemailChannel
    from ..models.voicemail_component import VoicemailComponent


T = TypeVar("T", bound="VoicemailMessage")


@_attrs_define
class VoicemailMessage:
    """
    Attributes:
        field_id (str):
        author (VoicemailAuthor):
        bot_id (str):
        channels (list[VoicemailChannel]):
        chnl (str):
        components (list[VoicemailComponent]):
        created_by (str): Who left the voicemail; the session where that is not known.
        created_on (datetime.datetime):
        is_bb (bool): Whether it was a broadcast: never.
        is_d (bool): Whether it was deleted: never.
        lang (str): Language tag; empty where it is not known.
        lmodified_by (str): Who wrote the transcript: the provider.
        lmodified_on (datetime.datetime):
        ms (int): Length of the recording in milliseconds; 0 where it is not known.
        resourceid (str): The voicemail.
        s_t (int): When the transcript was stored, in milliseconds since 1970.
        session_id (str):
        status (VoicemailMessageStatus):
        timestamp_value (int): createdOn in milliseconds since 1970.
        type_ (VoicemailMessageType):
    """

    field_id: str
    author: VoicemailAuthor
    bot_id: str
    channels: list[VoicemailChannel]
    chnl: str
    components: list[VoicemailComponent]
    created_by: str
    created_on: datetime.datetime
    is_bb: bool
    is_d: bool
    lang: str
    lmodified_by: str
    lmodified_on: datetime.datetime
    ms: int
    resourceid: str
    s_t: int
    session_id: str
    status: VoicemailMessageStatus
    timestamp_value: int
    type_: VoicemailMessageType
    additional_properties: dict[str, Any] = _attrs_field(init=False, factory=dict)

    def to_dict(self) -> dict[str, Any]:
        field_id = self.field_id

        author = self.author.to_dict()

        bot_id = self.bot_id

        channels = []
        for channels_item_data in self.channels:
            channels_item = channels_item_data.to_dict()
            channels.append(channels_item)

        chnl = self.chnl

        components = []
        for components_item_data in self.components:
            components_item = components_item_data.to_dict()
            components.append(components_item)

        created_by = self.created_by

        created_on = self.created_on.isoformat()

        is_bb = self.is_bb

        is_d = self.is_d

        lang = self.lang

        lmodified_by = self.lmodified_by

        lmodified_on = self.lmodified_on.isoformat()

        ms = self.ms

        resourceid = self.resourceid

        s_t = self.s_t

        session_id = self.session_id

        status = self.status.value

        timestamp_value = self.timestamp_value

        type_ = self.type_.value

        field_dict: dict[str, Any] = {}
        field_dict.update(self.additional_properties)
        field_dict.update(
            {
                "_id": field_id,
                "author": author,
                "botId": bot_id,
                "channels": channels,
                "chnl": chnl,
                "components": components,
                "createdBy": created_by,
                "createdOn": created_on,
                "isBB": is_bb,
                "isD": is_d,
                "lang": lang,
                "lmodifiedBy": lmodified_by,
                "lmodifiedOn": lmodified_on,
                "ms": ms,
                "resourceid": resourceid,
                "sT": s_t,
                "sessionId": session_id,
                "status": status,
                "timestampValue": timestamp_value,
                "type": type_,
            }
        )

        return field_dict

    @classmethod
    def from_dict(cls: type[T], src_dict: Mapping[str, Any]) -> T:
        from ..models.voicemail_author import VoicemailAuthor  # noqa: PLC0415
        from ..models.voicemail_channel import VoicemailChannel  # noqa: PLC0415
        from ..models.voicemail_component import VoicemailComponent  # noqa: PLC0415

        d = dict(src_dict)
        field_id = d.pop("_id")

        author = VoicemailAuthor.from_dict(d.pop("author"))

        bot_id = d.pop("botId")

        channels = []
        _channels = d.pop("channels")
        for channels_item_data in _channels:
            channels_item = VoicemailChannel.from_dict(channels_item_data)

            channels.append(channels_item)

        chnl = d.pop("chnl")

        components = []
        _components = d.pop("components")
        for components_item_data in _components:
            components_item = VoicemailComponent.from_dict(components_item_data)

            components.append(components_item)

        created_by = d.pop("createdBy")

        created_on = datetime.datetime.fromisoformat(d.pop("createdOn"))

        is_bb = d.pop("isBB")

        is_d = d.pop("isD")

        lang = d.pop("lang")

        lmodified_by = d.pop("lmodifiedBy")

        lmodified_on = datetime.datetime.fromisoformat(d.pop("lmodifiedOn"))

        ms = d.pop("ms")

        resourceid = d.pop("resourceid")

        s_t = d.pop("sT")

        session_id = d.pop("sessionId")

        status = VoicemailMessageStatus(d.pop("status"))

        timestamp_value = d.pop("timestampValue")

        type_ = VoicemailMessageType(d.pop("type"))

        voicemail_message = cls(
            field_id=field_id,
            author=author,
            bot_id=bot_id,
            channels=channels,
            chnl=chnl,
            components=components,
            created_by=created_by,
            created_on=created_on,
            is_bb=is_bb,
            is_d=is_d,
            lang=lang,
            lmodified_by=lmodified_by,
            lmodified_on=lmodified_on,
            ms=ms,
            resourceid=resourceid,
            s_t=s_t,
            session_id=session_id,
            status=status,
            timestamp_value=timestamp_value,
            type_=type_,
        )

        voicemail_message.additional_properties = d
        return voicemail_message

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
