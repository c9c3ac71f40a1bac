from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, TypeVar, cast

from attrs import define as _attrs_define
from attrs import field as _attrs_field

from ..types import UNSET, Unset

if TYPE_CHECKING:
    from ..models.agent_group import AgentGroup
    from ..models.agent_language import AgentLanguage
    from ..models.agent_layout import AgentLayout
    from ..models.agent_skill import AgentSkill


T = TypeVar("T", bound="UpdateHumanAgentRequest")


@_attrs_define
class UpdateHumanAgentRequest:
    """
    Attributes:
        account_id (str): The account of the agent.
        agent_group_id (str): The default group.
        email_id (str): Unique in the organisation, whatever its case.
        first_name (str): First name.
        i_id (str): The instance: a project's id or alias.
        id (str): The same agent as in the path.
        last_name (str): Last name.
        org_id (str): The organisation of the agent.
        role_id (str): The agent's role.
        user_id (str): The user who is this agent.
        agent_groups (list[AgentGroup] | Unset): The groups that the agent is in, beside the default one.
        attachments_enabled (bool | Unset):
        can_support_case (bool | Unset):
        can_support_chat (bool | Unset): Whether the agent takes chats, e-mails and messages.
        can_support_voice (bool | Unset): Whether the agent takes calls, one at a time.
        can_support_voice_mail (bool | Unset):
        case_language_support (list[AgentLanguage] | Unset):
        chat_language_support (list[AgentLanguage] | Unset):
        created_by (str | Unset):
        created_by_a_id (str | Unset):
        custom_id (str | Unset): An id of your own: special characters are allowed, spaces are not.
        d_agent_groups (list[str] | Unset): Deprecated; kept as given.
        desktop_layouts (list[AgentLayout] | Unset):
        emojis_enabled (bool | Unset):
        full_name (str | Unset): First and last name when it was never given.
        is_account_owner (bool | Unset):
        l_full_name (str | Unset): fullName in lower case when it was never given.
        marked_auto_away (bool | Unset):
        max_digital_chat_support (int | Unset): Chats at once.
        max_email_chat_support (int | Unset): E-mail conversations at once.
        max_messaging_chat_support (int | Unset): Messaging conversations at once.
        nick_name (str | Unset): What customers see.
        phone_number (str | Unset): The agent's telephone with its country code, however it is spelled; kept and shown
            as E.164.
        skills (list[AgentSkill] | Unset):
        status (str | Unset): Only ACTIVE agents get conversations.
        voice_language_support (list[AgentLanguage] | Unset):
        voice_support (list[str] | Unset): Kinds of calls that the agent takes, for people; at most 100 characters each.
    """

    account_id: str
    agent_group_id: str
    email_id: str
    first_name: str
    i_id: str
    id: str
    last_name: str
    org_id: str
    role_id: str
    user_id: str
    agent_groups: list[AgentGroup] | Unset = UNSET
    attachments_enabled: bool | Unset = UNSET
    can_support_case: bool | Unset = UNSET
    can_support_chat: bool | Unset = UNSET
    can_support_voice: bool | Unset = UNSET
    can_support_voice_mail: bool | Unset = UNSET
    case_language_support: list[AgentLanguage] | Unset = UNSET
    chat_language_support: list[AgentLanguage] | Unset = UNSET
    created_by: str | Unset = UNSET
    created_by_a_id: str | Unset = UNSET
    custom_id: str | Unset = UNSET
    d_agent_groups: list[str] | Unset = UNSET
    desktop_layouts: list[AgentLayout] | Unset = UNSET
    emojis_enabled: bool | Unset = UNSET
    full_name: str | Unset = UNSET
    is_account_owner: bool | Unset = UNSET
    l_full_name: str | Unset = UNSET
    marked_auto_away: bool | Unset = UNSET
    max_digital_chat_support: int | Unset = UNSET
    max_email_chat_support: int | Unset = UNSET
    max_messaging_chat_support: int | Unset = UNSET
    nick_name: str | Unset = UNSET
    phone_number: str | Unset = UNSET
    skills: list[AgentSkill] | Unset = UNSET
    status: str | Unset = UNSET
    voice_language_support: list[AgentLanguage] | Unset = UNSET
    voice_support: list[str] | Unset = UNSET
    additional_properties: dict[str, Any] = _attrs_field(init=False, factory=dict)

    def to_dict(self) -> dict[str, Any]:
        account_id = self.account_id

        agent_group_id = self.agent_group_id

        email_id = self.email_id

        first_name = self.first_name

        i_id = self.i_id

        id = self.id

        last_name = self.last_name

        org_id = self.org_id

        role_id = self.role_id

        user_id = self.user_id

        agent_groups: list[dict[str, Any]] | Unset = UNSET
        if not isinstance(self.agent_groups, Unset):
            agent_groups = []
            for agent_groups_item_data in self.agent_groups:
                agent_groups_item = agent_groups_item_data.to_dict()
                agent_groups.append(agent_groups_item)

        attachments_enabled = self.attachments_enabled

        can_support_case = self.can_support_case

        can_support_chat = self.can_support_chat

        can_support_voice = self.can_support_voice

        can_support_voice_mail = self.can_support_voice_mail

        case_language_support: list[dict[str, Any]] | Unset = UNSET
        if not isinstance(self.case_language_support, Unset):
            case_language_support = []
            for case_language_support_item_data in self.case_language_support:
                case_language_support_item = case_language_support_item_data.to_dict()
                case_language_support.append(case_language_support_item)

        chat_language_support: list[dict[str, Any]] | Unset = UNSET
        if not isinstance(self.chat_language_support, Unset):
            chat_language_support = []
            for chat_language_support_item_data in self.chat_language_support:
                chat_language_support_item = chat_language_support_item_data.to_dict()
                chat_language_support.append(chat_language_support_item)

        created_by = self.created_by

        created_by_a_id = self.created_by_a_id

        custom_id = self.custom_id

        d_agent_groups: list[str] | Unset = UNSET
        if not isinstance(self.d_agent_groups, Unset):
            d_agent_groups = self.d_agent_groups

        desktop_layouts: list[dict[str, Any]] | Unset = UNSET
        if not isinstance(self.desktop_layouts, Unset):
            desktop_layouts = []
            for desktop_layouts_item_data in self.desktop_layouts:
                desktop_layouts_item = desktop_layouts_item_data.to_dict()
                desktop_layouts.append(desktop_layouts_item)

        emojis_enabled = self.emojis_enabled

        full_name = self.full_name

        is_account_owner = self.is_account_owner

        l_full_name = self.l_full_name

        marked_auto_away = self.marked_auto_away

        max_digital_chat_support = self.max_digital_chat_support

        max_email_chat_support = self.max_email_chat_support

        max_messaging_chat_support = self.max_messaging_chat_support

        nick_name = self.nick_name

        phone_number = self.phone_number

        skills: list[dict[str, Any]] | Unset = UNSET
        if not isinstance(self.skills, Unset):
            skills = []
            for skills_item_data in self.skills:
                skills_item = skills_item_data.to_dict()
                skills.append(skills_item)

        status = self.status

        voice_language_support: list[dict[str, Any]] | Unset = UNSET
        if not isinstance(self.voice_language_support, Unset):
            voice_language_support = []
            for voice_language_support_item_data in self.voice_language_support:
                voice_language_support_item = voice_language_support_item_data.to_dict()
                voice_language_support.append(voice_language_support_item)

        voice_support: list[str] | Unset = UNSET
        if not isinstance(self.voice_support, Unset):
            voice_support = self.voice_support

        field_dict: dict[str, Any] = {}
        field_dict.update(self.additional_properties)
        field_dict.update(
            {
                "accountId": account_id,
                "agentGroupId": agent_group_id,
                "emailId": email_id,
                "firstName": first_name,
                "iId": i_id,
                "id": id,
                "lastName": last_name,
                "orgId": org_id,
                "roleId": role_id,
                "userId": user_id,
            }
        )
        if agent_groups is not UNSET:
            field_dict["agentGroups"] = agent_groups
        if attachments_enabled is not UNSET:
            field_dict["attachmentsEnabled"] = attachments_enabled
        if can_support_case is not UNSET:
            field_dict["canSupportCase"] = can_support_case
        if can_support_chat is not UNSET:
            field_dict["canSupportChat"] = can_support_chat
        if can_support_voice is not UNSET:
            field_dict["canSupportVoice"] = can_support_voice
        if can_support_voice_mail is not UNSET:
            field_dict["canSupportVoiceMail"] = can_support_voice_mail
        if case_language_support is not UNSET:
            field_dict["caseLanguageSupport"] = case_language_support
        if chat_language_support is not UNSET:
            field_dict["chatLanguageSupport"] = chat_language_support
        if created_by is not UNSET:
            field_dict["createdBy"] = created_by
        if created_by_a_id is not UNSET:
            field_dict["createdByAId"] = created_by_a_id
        if custom_id is not UNSET:
            field_dict["customId"] = custom_id
        if d_agent_groups is not UNSET:
            field_dict["dAgentGroups"] = d_agent_groups
        if desktop_layouts is not UNSET:
            field_dict["desktopLayouts"] = desktop_layouts
        if emojis_enabled is not UNSET:
            field_dict["emojisEnabled"] = emojis_enabled
        if full_name is not UNSET:
            field_dict["fullName"] = full_name
        if is_account_owner is not UNSET:
            field_dict["isAccountOwner"] = is_account_owner
        if l_full_name is not UNSET:
            field_dict["lFullName"] = l_full_name
        if marked_auto_away is not UNSET:
            field_dict["markedAutoAway"] = marked_auto_away
        if max_digital_chat_support is not UNSET:
            field_dict["maxDigitalChatSupport"] = max_digital_chat_support
        if max_email_chat_support is not UNSET:
            field_dict["maxEmailChatSupport"] = max_email_chat_support
        if max_messaging_chat_support is not UNSET:
            field_dict["maxMessagingChatSupport"] = max_messaging_chat_support
        if nick_name is not UNSET:
            field_dict["nickName"] = nick_name
        if phone_number is not UNSET:
            field_dict["phoneNumber"] = phone_number
        if skills is not UNSET:
            field_dict["skills"] = skills
        if status is not UNSET:
            field_dict["status"] = status
        if voice_language_support is not UNSET:
            field_dict["voiceLanguageSupport"] = voice_language_support
        if voice_support is not UNSET:
            field_dict["voiceSupport"] = voice_support

        return field_dict

    @classmethod
    def from_dict(cls: type[T], src_dict: Mapping[str, Any]) -> T:
        from ..models.agent_group import AgentGroup  # noqa: PLC0415
        from ..models.agent_language import AgentLanguage  # noqa: PLC0415
        from ..models.agent_layout import AgentLayout  # noqa: PLC0415
        from ..models.agent_skill import AgentSkill  # noqa: PLC0415

        d = dict(src_dict)
        account_id = d.pop("accountId")

        agent_group_id = d.pop("agentGroupId")

        email_id = d.pop("emailId")

        first_name = d.pop("firstName")

        i_id = d.pop("iId")

        id = d.pop("id")

        last_name = d.pop("lastName")

        org_id = d.pop("orgId")

        role_id = d.pop("roleId")

        user_id = d.pop("userId")

        _agent_groups = d.pop("agentGroups", UNSET)
        agent_groups: list[AgentGroup] | Unset = UNSET
        if _agent_groups is not UNSET:
            agent_groups = []
            for agent_groups_item_data in _agent_groups:
                agent_groups_item = AgentGroup.from_dict(agent_groups_item_data)

                agent_groups.append(agent_groups_item)

        attachments_enabled = d.pop("attachmentsEnabled", UNSET)

        can_support_case = d.pop("canSupportCase", UNSET)

        can_support_chat = d.pop("canSupportChat", UNSET)

        can_support_voice = d.pop("canSupportVoice", UNSET)

        can_support_voice_mail = d.pop("canSupportVoiceMail", UNSET)

        _case_language_support = d.pop("caseLanguageSupport", UNSET)
        case_language_support: list[AgentLanguage] | Unset = UNSET
        if _case_language_support is not UNSET:
            case_language_support = []
            for case_language_support_item_data in _case_language_support:
                case_language_support_item = AgentLanguage.from_dict(
                    case_language_support_item_data
                )

                case_language_support.append(case_language_support_item)

        _chat_language_support = d.pop("chatLanguageSupport", UNSET)
        chat_language_support: list[AgentLanguage] | Unset = UNSET
        if _chat_language_support is not UNSET:
            chat_language_support = []
            for chat_language_support_item_data in _chat_language_support:
                chat_language_support_item = AgentLanguage.from_dict(
                    chat_language_support_item_data
                )

                chat_language_support.append(chat_language_support_item)

        created_by = d.pop("createdBy", UNSET)

        created_by_a_id = d.pop("createdByAId", UNSET)

        custom_id = d.pop("customId", UNSET)

        d_agent_groups = cast(list[str], d.pop("dAgentGroups", UNSET))

        _desktop_layouts = d.pop("desktopLayouts", UNSET)
        desktop_layouts: list[AgentLayout] | Unset = UNSET
        if _desktop_layouts is not UNSET:
            desktop_layouts = []
            for desktop_layouts_item_data in _desktop_layouts:
                desktop_layouts_item = AgentLayout.from_dict(desktop_layouts_item_data)

                desktop_layouts.append(desktop_layouts_item)

        emojis_enabled = d.pop("emojisEnabled", UNSET)

        full_name = d.pop("fullName", UNSET)

        is_account_owner = d.pop("isAccountOwner", UNSET)

        l_full_name = d.pop("lFullName", UNSET)

        marked_auto_away = d.pop("markedAutoAway", UNSET)

        max_digital_chat_support = d.pop("maxDigitalChatSupport", UNSET)

        max_email_chat_support = d.pop("maxEmailChatSupport", UNSET)

        max_messaging_chat_support = d.pop("maxMessagingChatSupport", UNSET)

        nick_name = d.pop("nickName", UNSET)

        phone_number = d.pop("phoneNumber", UNSET)

        _skills = d.pop("skills", UNSET)
        skills: list[AgentSkill] | Unset = UNSET
        if _skills is not UNSET:
            skills = []
            for skills_item_data in _skills:
                skills_item = AgentSkill.from_dict(skills_item_data)

                skills.append(skills_item)

        status = d.pop("status", UNSET)

        _voice_language_support = d.pop("voiceLanguageSupport", UNSET)
        voice_language_support: list[AgentLanguage] | Unset = UNSET
        if _voice_language_support is not UNSET:
            voice_language_support = []
            for voice_language_support_item_data in _voice_language_support:
                voice_language_support_item = AgentLanguage.from_dict(
                    voice_language_support_item_data
                )

                voice_language_support.append(voice_language_support_item)

        voice_support = cast(list[str], d.pop("voiceSupport", UNSET))

        update_human_agent_request = cls(
            account_id=account_id,
            agent_group_id=agent_group_id,
            email_id=email_id,
            first_name=first_name,
            i_id=i_id,
            id=id,
            last_name=last_name,
            org_id=org_id,
            role_id=role_id,
            user_id=user_id,
            agent_groups=agent_groups,
            attachments_enabled=attachments_enabled,
            can_support_case=can_support_case,
            can_support_chat=can_support_chat,
            can_support_voice=can_support_voice,
            can_support_voice_mail=can_support_voice_mail,
            case_language_support=case_language_support,
            chat_language_support=chat_language_support,
            created_by=created_by,
            created_by_a_id=created_by_a_id,
            custom_id=custom_id,
            d_agent_groups=d_agent_groups,
            desktop_layouts=desktop_layouts,
            emojis_enabled=emojis_enabled,
            full_name=full_name,
            is_account_owner=is_account_owner,
            l_full_name=l_full_name,
            marked_auto_away=marked_auto_away,
            max_digital_chat_support=max_digital_chat_support,
            max_email_chat_support=max_email_chat_support,
            max_messaging_chat_support=max_messaging_chat_support,
            nick_name=nick_name,
            phone_number=phone_number,
            skills=skills,
            status=status,
            voice_language_support=voice_language_support,
            voice_support=voice_support,
        )

        update_human_agent_request.additional_properties = d
        return update_human_agent_request

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
