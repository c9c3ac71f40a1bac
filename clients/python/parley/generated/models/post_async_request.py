from __future__ import annotations

from collections.abc import Mapping
from typing import Any, TypeVar

from attrs import define as _attrs_define
from attrs import field as _attrs_field

from ..types import UNSET, Unset

T = TypeVar("T", bound="PostAsyncRequest")


@_attrs_define
class PostAsyncRequest:
    """
    Attributes:
        project_id (str): A project's id or alias.
        callback_url (str | Unset): Where what is said is posted; it must not lead inward.
        choice (str | Unset): The id of what was chosen, of choices that were shown in the conversation.
        connection (str | Unset): The externalIdentifier of the connection.
        conversation (str | Unset): The caller's name of the conversation; left out, and without a sessionId: a new one.
        from_ (str | Unset): Who says it: they become a contact.
        language (str | Unset): Of a session that begins; one in which the project does not talk is passed over.
        message (str | Unset): What is said; this or choice is required.
        message_id (str | Unset): The caller's own id of the message, by which it is taken once.
        name (str | Unset): As they call themselves.
        session_id (str | Unset): Goes on in the conversation of a session of this kind.
    """

    project_id: str
    callback_url: str | Unset = UNSET
    choice: str | Unset = UNSET
    connection: str | Unset = UNSET
    conversation: str | Unset = UNSET
    from_: str | Unset = UNSET
    language: str | Unset = UNSET
    message: str | Unset = UNSET
    message_id: str | Unset = UNSET
    name: str | Unset = UNSET
    session_id: str | Unset = UNSET
    additional_properties: dict[str, Any] = _attrs_field(init=False, factory=dict)

    def to_dict(self) -> dict[str, Any]:
        project_id = self.project_id

        callback_url = self.callback_url

        choice = self.choice

        connection = self.connection

        conversation = self.conversation

        from_ = self.from_

        language = self.language

        message = self.message

        message_id = self.message_id

        name = self.name

        session_id = self.session_id

        field_dict: dict[str, Any] = {}
        field_dict.update(self.additional_properties)
        field_dict.update(
            {
                "projectId": project_id,
            }
        )
        if callback_url is not UNSET:
            field_dict["callbackUrl"] = callback_url
        if choice is not UNSET:
            field_dict["choice"] = choice
        if connection is not UNSET:
            field_dict["connection"] = connection
        if conversation is not UNSET:
            field_dict["conversation"] = conversation
        if from_ is not UNSET:
            field_dict["from"] = from_
        if language is not UNSET:
            field_dict["language"] = language
        if message is not UNSET:
            field_dict["message"] = message
        if message_id is not UNSET:
            field_dict["messageId"] = message_id
        if name is not UNSET:
            field_dict["name"] = name
        if session_id is not UNSET:
            field_dict["sessionId"] = session_id

        return field_dict

    @classmethod
    def from_dict(cls: type[T], src_dict: Mapping[str, Any]) -> T:
        d = dict(src_dict)
        project_id = d.pop("projectId")

        callback_url = d.pop("callbackUrl", UNSET)

        choice = d.pop("choice", UNSET)

        connection = d.pop("connection", UNSET)

        conversation = d.pop("conversation", UNSET)

        from_ = d.pop("from", UNSET)

        language = d.pop("language", UNSET)

        message = d.pop("message", UNSET)

        message_id = d.pop("messageId", UNSET)

        name = d.pop("name", UNSET)

        session_id = d.pop("sessionId", UNSET)

        post_async_request = cls(
            project_id=project_id,
            callback_url=callback_url,
            choice=choice,
            connection=connection,
            conversation=conversation,
            from_=from_,
            language=language,
            message=message,
            message_id=message_id,
            name=name,
            session_id=session_id,
        )

        post_async_request.additional_properties = d
        return post_async_request

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
