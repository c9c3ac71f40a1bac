from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, TypeVar, cast

from attrs import define as _attrs_define
from attrs import field as _attrs_field

from ..types import UNSET, Unset

if TYPE_CHECKING:
    from ..models.call_detail_meta_info import CallDetailMetaInfo
    from ..models.customer_info import CustomerInfo
    from ..models.destination import Destination
    from ..models.session_tag import SessionTag


T = TypeVar("T", bound="CallDetail")


@_attrs_define
class CallDetail:
    """
    Attributes:
        bot_id (str):
        channel (str):
        channel_specific_user_id (str): The same as the channel has it: without slack: before it.
        disconnecting_event (str): User Hangup, Bot Hangup, Gateway Hangup or Agent Closed.
        final_status (str): BotResolved, MachineDetected, Abandoned or CLOSED.
        session_end_time (str):
        session_id (str):
        session_start_time (str):
        user_id (str): The number of a call, the identity of a chat's contact; empty when nobody said who it was.
        conversation_id (str | Unset):
        customerinfo (CustomerInfo | Unset):
        destinations (list[Destination] | Unset): Of conversations with agents, in their order.
        disposition_remarks (list[str] | Unset): Of conversations with agents.
        dispositions (list[str] | Unset): Of conversations with agents.
        meta_info (CallDetailMetaInfo | Unset): Of conversations with agents: caller, transfers, and what was noted.
        org_id (str | Unset): Of conversations with agents.
        sessionleveltags (list[SessionTag] | Unset):
        skills (list[str] | Unset): Asked for in transfers.
        userleveltags (list[str] | Unset):
    """

    bot_id: str
    channel: str
    channel_specific_user_id: str
    disconnecting_event: str
    final_status: str
    session_end_time: str
    session_id: str
    session_start_time: str
    user_id: str
    conversation_id: str | Unset = UNSET
    customerinfo: CustomerInfo | Unset = UNSET
    destinations: list[Destination] | Unset = UNSET
    disposition_remarks: list[str] | Unset = UNSET
    dispositions: list[str] | Unset = UNSET
    meta_info: CallDetailMetaInfo | Unset = UNSET
    org_id: str | Unset = UNSET
    sessionleveltags: list[SessionTag] | Unset = UNSET
    skills: list[str] | Unset = UNSET
    userleveltags: list[str] | Unset = UNSET
    additional_properties: dict[str, Any] = _attrs_field(init=False, factory=dict)

    def to_dict(self) -> dict[str, Any]:
        bot_id = self.bot_id

        channel = self.channel

        channel_specific_user_id = self.channel_specific_user_id

        disconnecting_event = self.disconnecting_event

        final_status = self.final_status

        session_end_time = self.session_end_time

        session_id = self.session_id

        session_start_time = self.session_start_time

        user_id = self.user_id

        conversation_id = self.conversation_id

        customerinfo: dict[str, Any] | Unset = UNSET
        if not isinstance(self.customerinfo, Unset):
            customerinfo = self.customerinfo.to_dict()

        destinations: list[dict[str, Any]] | Unset = UNSET
        if not isinstance(self.destinations, Unset):
            destinations = []
            for destinations_item_data in self.destinations:
                destinations_item = destinations_item_data.to_dict()
                destinations.append(destinations_item)

        disposition_remarks: list[str] | Unset = UNSET
        if not isinstance(self.disposition_remarks, Unset):
            disposition_remarks = self.disposition_remarks

        dispositions: list[str] | Unset = UNSET
        if not isinstance(self.dispositions, Unset):
            dispositions = self.dispositions

        meta_info: dict[str, Any] | Unset = UNSET
        if not isinstance(self.meta_info, Unset):
            meta_info = self.meta_info.to_dict()

        org_id = self.org_id

        sessionleveltags: list[dict[str, Any]] | Unset = UNSET
        if not isinstance(self.sessionleveltags, Unset):
            sessionleveltags = []
            for sessionleveltags_item_data in self.sessionleveltags:
                sessionleveltags_item = sessionleveltags_item_data.to_dict()
                sessionleveltags.append(sessionleveltags_item)

        skills: list[str] | Unset = UNSET
        if not isinstance(self.skills, Unset):
            skills = self.skills

        userleveltags: list[str] | Unset = UNSET
        if not isinstance(self.userleveltags, Unset):
            userleveltags = self.userleveltags

        field_dict: dict[str, Any] = {}
        field_dict.update(self.additional_properties)
        field_dict.update(
            {
                "botId": bot_id,
                "channel": channel,
                "channelSpecificUserId": channel_specific_user_id,
                "disconnectingEvent": disconnecting_event,
                "finalStatus": final_status,
                "sessionEndTime": session_end_time,
                "sessionId": session_id,
                "sessionStartTime": session_start_time,
                "userId": user_id,
            }
        )
        if conversation_id is not UNSET:
            field_dict["conversationId"] = conversation_id
        if customerinfo is not UNSET:
            field_dict["customerinfo"] = customerinfo
        if destinations is not UNSET:
            field_dict["destinations"] = destinations
        if disposition_remarks is not UNSET:
            field_dict["dispositionRemarks"] = disposition_remarks
        if dispositions is not UNSET:
            field_dict["dispositions"] = dispositions
        if meta_info is not UNSET:
            field_dict["metaInfo"] = meta_info
        if org_id is not UNSET:
            field_dict["orgId"] = org_id
        if sessionleveltags is not UNSET:
            field_dict["sessionleveltags"] = sessionleveltags
        if skills is not UNSET:
            field_dict["skills"] = skills
        if userleveltags is not UNSET:
            field_dict["userleveltags"] = userleveltags

        return field_dict

    @classmethod
    def from_dict(cls: type[T], src_dict: Mapping[str, Any]) -> T:
        from ..models.call_detail_meta_info import CallDetailMetaInfo  # noqa: PLC0415
        from ..models.customer_info import CustomerInfo  # noqa: PLC0415
        from ..models.destination import Destination  # noqa: PLC0415
        from ..models.session_tag import SessionTag  # noqa: PLC0415

        d = dict(src_dict)
        bot_id = d.pop("botId")

        channel = d.pop("channel")

        channel_specific_user_id = d.pop("channelSpecificUserId")

        disconnecting_event = d.pop("disconnectingEvent")

        final_status = d.pop("finalStatus")

        session_end_time = d.pop("sessionEndTime")

        session_id = d.pop("sessionId")

        session_start_time = d.pop("sessionStartTime")

        user_id = d.pop("userId")

        conversation_id = d.pop("conversationId", UNSET)

        _customerinfo = d.pop("customerinfo", UNSET)
        customerinfo: CustomerInfo | Unset
        if isinstance(_customerinfo, Unset):
            customerinfo = UNSET
        else:
            customerinfo = CustomerInfo.from_dict(_customerinfo)

        _destinations = d.pop("destinations", UNSET)
        destinations: list[Destination] | Unset = UNSET
        if _destinations is not UNSET:
            destinations = []
            for destinations_item_data in _destinations:
                destinations_item = Destination.from_dict(destinations_item_data)

                destinations.append(destinations_item)

        disposition_remarks = cast(list[str], d.pop("dispositionRemarks", UNSET))

        dispositions = cast(list[str], d.pop("dispositions", UNSET))

        _meta_info = d.pop("metaInfo", UNSET)
        meta_info: CallDetailMetaInfo | Unset
        if isinstance(_meta_info, Unset):
            meta_info = UNSET
        else:
            meta_info = CallDetailMetaInfo.from_dict(_meta_info)

        org_id = d.pop("orgId", UNSET)

        _sessionleveltags = d.pop("sessionleveltags", UNSET)
        sessionleveltags: list[SessionTag] | Unset = UNSET
        if _sessionleveltags is not UNSET:
            sessionleveltags = []
            for sessionleveltags_item_data in _sessionleveltags:
                sessionleveltags_item = SessionTag.from_dict(sessionleveltags_item_data)

                sessionleveltags.append(sessionleveltags_item)

        skills = cast(list[str], d.pop("skills", UNSET))

        userleveltags = cast(list[str], d.pop("userleveltags", UNSET))

        call_detail = cls(
            bot_id=bot_id,
            channel=channel,
            channel_specific_user_id=channel_specific_user_id,
            disconnecting_event=disconnecting_event,
            final_status=final_status,
            session_end_time=session_end_time,
            session_id=session_id,
            session_start_time=session_start_time,
            user_id=user_id,
            conversation_id=conversation_id,
            customerinfo=customerinfo,
            destinations=destinations,
            disposition_remarks=disposition_remarks,
            dispositions=dispositions,
            meta_info=meta_info,
            org_id=org_id,
            sessionleveltags=sessionleveltags,
            skills=skills,
            userleveltags=userleveltags,
        )

        call_detail.additional_properties = d
        return call_detail

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
