from __future__ import annotations

import datetime
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, TypeVar, cast

from attrs import define as _attrs_define
from attrs import field as _attrs_field

from ..models.human_agent_online_status_type import HumanAgentOnlineStatusType
from ..types import UNSET, Unset

if TYPE_CHECKING:
    from ..models.agent_group import AgentGroup
    from ..models.agent_language import AgentLanguage
    from ..models.agent_layout import AgentLayout
    from ..models.agent_skill import AgentSkill
    from ..models.queue_of_agent import QueueOfAgent


T = TypeVar("T", bound="HumanAgent")


@_attrs_define
class HumanAgent:
    """
    Attributes:
        account_id (str):
        agent_affinity (bool):
        agent_group_id (str):
        agent_groups (list[AgentGroup]):
        attachments_enabled (bool):
        can_support_case (bool):
        can_support_chat (bool):
        can_support_voice (bool):
        can_support_voice_mail (bool):
        case_language_support (list[AgentLanguage]):
        chat_language_support (list[AgentLanguage]):
        created_at (datetime.datetime):
        created_by (str):
        created_by_a_id (str):
        custom_id (str):
        d_agent_groups (list[str]):
        desktop_layouts (list[AgentLayout]):
        email_id (str):
        emojis_enabled (bool):
        first_name (str):
        full_name (str):
        hours_of_operation_id (str):
        i_id (str):
        id (str):
        is_account_owner (bool):
        l_full_name (str):
        last_name (str):
        marked_auto_away (bool):
        max_chat_support (int): The same as maxDigitalChatSupport.
        max_digital_chat_support (int):
        max_email_chat_support (int):
        max_messaging_chat_support (int):
        nick_name (str):
        online_status (str): What the presence is called.
        online_status_type (HumanAgentOnlineStatusType): What it means to routing. An AVAILABLE agent who has all the
            conversations of a kind that it can have, whoever brought them, is BUSY until one ends.
        org_id (str):
        phone_number (str):
        prof_image (str):
        role (str):
        role_id (str):
        sip_uri (str):
        skills (list[AgentSkill]):
        status (str):
        updated_at (datetime.datetime):
        user_id (str):
        voice_language_support (list[AgentLanguage]):
        voice_support (list[str]):
        last_online_at (datetime.datetime | Unset): When the agent was last known to be there; absent: never.
        queues (list[QueueOfAgent] | Unset): The queues that the agent serves; with includeQueues only.
    """

    account_id: str
    agent_affinity: bool
    agent_group_id: str
    agent_groups: list[AgentGroup]
    attachments_enabled: bool
    can_support_case: bool
    can_support_chat: bool
    can_support_voice: bool
    can_support_voice_mail: bool
    case_language_support: list[AgentLanguage]
    chat_language_support: list[AgentLanguage]
    created_at: datetime.datetime
    created_by: str
    created_by_a_id: str
    custom_id: str
    d_agent_groups: list[str]
    desktop_layouts: list[AgentLayout]
    email_id: str
    emojis_enabled: bool
    first_name: str
    full_name: str
    hours_of_operation_id: str
    i_id: str
    id: str
    is_account_owner: bool
    l_full_name: str
    last_name: str
    marked_auto_away: bool
    max_chat_support: int
    max_digital_chat_support: int
    max_email_chat_support: int
    max_messaging_chat_support: int
    nick_name: str
    online_status: str
    online_status_type: HumanAgentOnlineStatusType
    org_id: str
    phone_number: str
    prof_image: str
    role: str
    role_id: str
    sip_uri: str
    skills: list[AgentSkill]
    status: str
    updated_at: datetime.datetime
    user_id: str
    voice_language_support: list[AgentLanguage]
    voice_support: list[str]
    last_online_at: datetime.datetime | Unset = UNSET
    queues: list[QueueOfAgent] | Unset = UNSET
    additional_properties: dict[str, Any] = _attrs_field(init=False, factory=dict)

    def to_dict(self) -> dict[str, Any]:
        account_id = self.account_id

        agent_affinity = self.agent_affinity

        agent_group_id = self.agent_group_id

        agent_groups = []
        for agent_groups_item_data in self.agent_groups:
            agent_groups_item = agent_groups_item_data.to_dict()
            agent_groups.append(agent_groups_item)

        attachments_enabled = self.attachments_enabled

        can_support_case = self.can_support_case

        can_support_chat = self.can_support_chat

        can_support_voice = self.can_support_voice

        can_support_voice_mail = self.can_support_voice_mail

        case_language_support = []
        for case_language_support_item_data in self.case_language_support:
            case_language_support_item = case_language_support_item_data.to_dict()
            case_language_support.append(case_language_support_item)

        chat_language_support = []
        for chat_language_support_item_data in self.chat_language_support:
            chat_language_support_item = chat_language_support_item_data.to_dict()
            chat_language_support.append(chat_language_support_item)

        created_at = self.created_at.isoformat()

        created_by = self.created_by

        created_by_a_id = self.created_by_a_id

        custom_id = self.custom_id

        d_agent_groups = self.d_agent_groups

        desktop_layouts = []
        for desktop_layouts_item_data in self.desktop_layouts:
            desktop_layouts_item = desktop_layouts_item_data.to_dict()
            desktop_layouts.append(desktop_layouts_item)

        email_id = self.email_id

        emojis_enabled = self.emojis_enabled

        first_name = self.first_name

        full_name = self.full_name

        hours_of_operation_id = self.hours_of_operation_id

        i_id = self.i_id

        id = self.id

        is_account_owner = self.is_account_owner

        l_full_name = self.l_full_name

        last_name = self.last_name

        marked_auto_away = self.marked_auto_away

        max_chat_support = self.max_chat_support

        max_digital_chat_support = self.max_digital_chat_support

        max_email_chat_support = self.max_email_chat_support

        max_messaging_chat_support = self.max_messaging_chat_support

        nick_name = self.nick_name

        online_status = self.online_status

        online_status_type = self.online_status_type.value

        org_id = self.org_id

        phone_number = self.phone_number

        prof_image = self.prof_image

        role = self.role

        role_id = self.role_id

        sip_uri = self.sip_uri

        skills = []
        for skills_item_data in self.skills:
            skills_item = skills_item_data.to_dict()
            skills.append(skills_item)

        status = self.status

        updated_at = self.updated_at.isoformat()

        user_id = self.user_id

        voice_language_support = []
        for voice_language_support_item_data in self.voice_language_support:
            voice_language_support_item = voice_language_support_item_data.to_dict()
            voice_language_support.append(voice_language_support_item)

        voice_support = self.voice_support

        last_online_at: str | Unset = UNSET
        if not isinstance(self.last_online_at, Unset):
            last_online_at = self.last_online_at.isoformat()

        queues: list[dict[str, Any]] | Unset = UNSET
        if not isinstance(self.queues, Unset):
            queues = []
            for queues_item_data in self.queues:
                queues_item = queues_item_data.to_dict()
                queues.append(queues_item)

        field_dict: dict[str, Any] = {}
        field_dict.update(self.additional_properties)
        field_dict.update(
            {
                "accountId": account_id,
                "agentAffinity": agent_affinity,
                "agentGroupId": agent_group_id,
                "agentGroups": agent_groups,
                "attachmentsEnabled": attachments_enabled,
                "canSupportCase": can_support_case,
                "canSupportChat": can_support_chat,
                "canSupportVoice": can_support_voice,
                "canSupportVoiceMail": can_support_voice_mail,
                "caseLanguageSupport": case_language_support,
                "chatLanguageSupport": chat_language_support,
                "createdAt": created_at,
                "createdBy": created_by,
                "createdByAId": created_by_a_id,
                "customId": custom_id,
                "dAgentGroups": d_agent_groups,
                "desktopLayouts": desktop_layouts,
                "emailId": email_id,
                "emojisEnabled": emojis_enabled,
                "firstName": first_name,
                "fullName": full_name,
                "hoursOfOperationId": hours_of_operation_id,
                "iId": i_id,
                "id": id,
                "isAccountOwner": is_account_owner,
                "lFullName": l_full_name,
                "lastName": last_name,
                "markedAutoAway": marked_auto_away,
                "maxChatSupport": max_chat_support,
                "maxDigitalChatSupport": max_digital_chat_support,
                "maxEmailChatSupport": max_email_chat_support,
                "maxMessagingChatSupport": max_messaging_chat_support,
                "nickName": nick_name,
                "onlineStatus": online_status,
                "onlineStatusType": online_status_type,
                "orgId": org_id,
                "phoneNumber": phone_number,
                "profImage": prof_image,
                "role": role,
                "roleId": role_id,
                "sipURI": sip_uri,
                "skills": skills,
                "status": status,
                "updatedAt": updated_at,
                "userId": user_id,
                "voiceLanguageSupport": voice_language_support,
                "voiceSupport": voice_support,
            }
        )
        if last_online_at is not UNSET:
            field_dict["lastOnlineAt"] = last_online_at
        if queues is not UNSET:
            field_dict["queues"] = queues

        return field_dict

    @classmethod
    def from_dict(cls: type[T], src_dict: Mapping[str, Any]) -> T:
        from ..models.agent_group import AgentGroup  # noqa: PLC0415
        from ..models.agent_language import AgentLanguage  # noqa: PLC0415
        from ..models.agent_layout import AgentLayout  # noqa: PLC0415
        from ..models.agent_skill import AgentSkill  # noqa: PLC0415
        from ..models.queue_of_agent import QueueOfAgent  # noqa: PLC0415

        d = dict(src_dict)
        account_id = d.pop("accountId")

        agent_affinity = d.pop("agentAffinity")

        agent_group_id = d.pop("agentGroupId")

        agent_groups = []
        _agent_groups = d.pop("agentGroups")
        for agent_groups_item_data in _agent_groups:
            agent_groups_item = AgentGroup.from_dict(agent_groups_item_data)

            agent_groups.append(agent_groups_item)

        attachments_enabled = d.pop("attachmentsEnabled")

        can_support_case = d.pop("canSupportCase")

        can_support_chat = d.pop("canSupportChat")

        can_support_voice = d.pop("canSupportVoice")

        can_support_voice_mail = d.pop("canSupportVoiceMail")

        case_language_support = []
        _case_language_support = d.pop("caseLanguageSupport")
        for case_language_support_item_data in _case_language_support:
            case_language_support_item = AgentLanguage.from_dict(
                case_language_support_item_data
            )

            case_language_support.append(case_language_support_item)

        chat_language_support = []
        _chat_language_support = d.pop("chatLanguageSupport")
        for chat_language_support_item_data in _chat_language_support:
            chat_language_support_item = AgentLanguage.from_dict(
                chat_language_support_item_data
            )

            chat_language_support.append(chat_language_support_item)

        created_at = datetime.datetime.fromisoformat(d.pop("createdAt"))

        created_by = d.pop("createdBy")

        created_by_a_id = d.pop("createdByAId")

        custom_id = d.pop("customId")

        d_agent_groups = cast(list[str], d.pop("dAgentGroups"))

        desktop_layouts = []
        _desktop_layouts = d.pop("desktopLayouts")
        for desktop_layouts_item_data in _desktop_layouts:
            desktop_layouts_item = AgentLayout.from_dict(desktop_layouts_item_data)

            desktop_layouts.append(desktop_layouts_item)

        email_id = d.pop("emailId")

        emojis_enabled = d.pop("emojisEnabled")

        first_name = d.pop("firstName")

        full_name = d.pop("fullName")

        hours_of_operation_id = d.pop("hoursOfOperationId")

        i_id = d.pop("iId")

        id = d.pop("id")

        is_account_owner = d.pop("isAccountOwner")

        l_full_name = d.pop("lFullName")

        last_name = d.pop("lastName")

        marked_auto_away = d.pop("markedAutoAway")

        max_chat_support = d.pop("maxChatSupport")

        max_digital_chat_support = d.pop("maxDigitalChatSupport")

        max_email_chat_support = d.pop("maxEmailChatSupport")

        max_messaging_chat_support = d.pop("maxMessagingChatSupport")

        nick_name = d.pop("nickName")

        online_status = d.pop("onlineStatus")

        online_status_type = HumanAgentOnlineStatusType(d.pop("onlineStatusType"))

        org_id = d.pop("orgId")

        phone_number = d.pop("phoneNumber")

        prof_image = d.pop("profImage")

        role = d.pop("role")

        role_id = d.pop("roleId")

        sip_uri = d.pop("sipURI")

        skills = []
        _skills = d.pop("skills")
        for skills_item_data in _skills:
            skills_item = AgentSkill.from_dict(skills_item_data)

            skills.append(skills_item)

        status = d.pop("status")

        updated_at = datetime.datetime.fromisoformat(d.pop("updatedAt"))

        user_id = d.pop("userId")

        voice_language_support = []
        _voice_language_support = d.pop("voiceLanguageSupport")
        for voice_language_support_item_data in _voice_language_support:
            voice_language_support_item = AgentLanguage.from_dict(
                voice_language_support_item_data
            )

            voice_language_support.append(voice_language_support_item)

        voice_support = cast(list[str], d.pop("voiceSupport"))

        _last_online_at = d.pop("lastOnlineAt", UNSET)
        last_online_at: datetime.datetime | Unset
        if isinstance(_last_online_at, Unset):
            last_online_at = UNSET
        else:
            last_online_at = datetime.datetime.fromisoformat(_last_online_at)

        _queues = d.pop("queues", UNSET)
        queues: list[QueueOfAgent] | Unset = UNSET
        if _queues is not UNSET:
            queues = []
            for queues_item_data in _queues:
                queues_item = QueueOfAgent.from_dict(queues_item_data)

                queues.append(queues_item)

        human_agent = cls(
            account_id=account_id,
            agent_affinity=agent_affinity,
            agent_group_id=agent_group_id,
            agent_groups=agent_groups,
            attachments_enabled=attachments_enabled,
            can_support_case=can_support_case,
            can_support_chat=can_support_chat,
            can_support_voice=can_support_voice,
            can_support_voice_mail=can_support_voice_mail,
            case_language_support=case_language_support,
            chat_language_support=chat_language_support,
            created_at=created_at,
            created_by=created_by,
            created_by_a_id=created_by_a_id,
            custom_id=custom_id,
            d_agent_groups=d_agent_groups,
            desktop_layouts=desktop_layouts,
            email_id=email_id,
            emojis_enabled=emojis_enabled,
            first_name=first_name,
            full_name=full_name,
            hours_of_operation_id=hours_of_operation_id,
            i_id=i_id,
            id=id,
            is_account_owner=is_account_owner,
            l_full_name=l_full_name,
            last_name=last_name,
            marked_auto_away=marked_auto_away,
            max_chat_support=max_chat_support,
            max_digital_chat_support=max_digital_chat_support,
            max_email_chat_support=max_email_chat_support,
            max_messaging_chat_support=max_messaging_chat_support,
            nick_name=nick_name,
            online_status=online_status,
            online_status_type=online_status_type,
            org_id=org_id,
            phone_number=phone_number,
            prof_image=prof_image,
            role=role,
            role_id=role_id,
            sip_uri=sip_uri,
            skills=skills,
            status=status,
            updated_at=updated_at,
            user_id=user_id,
            voice_language_support=voice_language_support,
            voice_support=voice_support,
            last_online_at=last_online_at,
            queues=queues,
        )

        human_agent.additional_properties = d
        return human_agent

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
