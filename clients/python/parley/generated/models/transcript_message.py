from __future__ import annotations

import datetime
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, TypeVar

from attrs import define as _attrs_define
from attrs import field as _attrs_field

from ..models.transcript_message_role import TranscriptMessageRole
from ..types import UNSET, Unset

if TYPE_CHECKING:
    from ..models.chat_element import ChatElement
    from ..models.feedback_shown import FeedbackShown
    from ..models.listed_file import ListedFile


T = TypeVar("T", bound="TranscriptMessage")


@_attrs_define
class TranscriptMessage:
    """
    Attributes:
        content (str): What was said; of what was chosen without a word its id, and its value.
        id (str):
        role (TranscriptMessageRole): agent: a person.
        timestamp (datetime.datetime):
        agent_name (str | Unset):
        attachments (list[ListedFile] | Unset): That came with it.
        feedback (FeedbackShown | Unset):
        rich_content (list[ChatElement] | Unset):
        taken_back (bool | Unset): Its sender has taken it back where they wrote it: content and attachments are not
            shown (extension).
    """

    content: str
    id: str
    role: TranscriptMessageRole
    timestamp: datetime.datetime
    agent_name: str | Unset = UNSET
    attachments: list[ListedFile] | Unset = UNSET
    feedback: FeedbackShown | Unset = UNSET
    rich_content: list[ChatElement] | Unset = UNSET
    taken_back: bool | Unset = UNSET
    additional_properties: dict[str, Any] = _attrs_field(init=False, factory=dict)

    def to_dict(self) -> dict[str, Any]:
        content = self.content

        id = self.id

        role = self.role.value

        timestamp = self.timestamp.isoformat()

        agent_name = self.agent_name

        attachments: list[dict[str, Any]] | Unset = UNSET
        if not isinstance(self.attachments, Unset):
            attachments = []
            for attachments_item_data in self.attachments:
                attachments_item = attachments_item_data.to_dict()
                attachments.append(attachments_item)

        feedback: dict[str, Any] | Unset = UNSET
        if not isinstance(self.feedback, Unset):
            feedback = self.feedback.to_dict()

        rich_content: list[dict[str, Any]] | Unset = UNSET
        if not isinstance(self.rich_content, Unset):
            rich_content = []
            for rich_content_item_data in self.rich_content:
                rich_content_item = rich_content_item_data.to_dict()
                rich_content.append(rich_content_item)

        taken_back = self.taken_back

        field_dict: dict[str, Any] = {}
        field_dict.update(self.additional_properties)
        field_dict.update(
            {
                "content": content,
                "id": id,
                "role": role,
                "timestamp": timestamp,
            }
        )
        if agent_name is not UNSET:
            field_dict["agentName"] = agent_name
        if attachments is not UNSET:
            field_dict["attachments"] = attachments
        if feedback is not UNSET:
            field_dict["feedback"] = feedback
        if rich_content is not UNSET:
            field_dict["richContent"] = rich_content
        if taken_back is not UNSET:
            field_dict["takenBack"] = taken_back

        return field_dict

    @classmethod
    def from_dict(cls: type[T], src_dict: Mapping[str, Any]) -> T:
        from ..models.chat_element import ChatElement  # noqa: PLC0415
        from ..models.feedback_shown import FeedbackShown  # noqa: PLC0415
        from ..models.listed_file import ListedFile  # noqa: PLC0415

        d = dict(src_dict)
        content = d.pop("content")

        id = d.pop("id")

        role = TranscriptMessageRole(d.pop("role"))

        timestamp = datetime.datetime.fromisoformat(d.pop("timestamp"))

        agent_name = d.pop("agentName", UNSET)

        _attachments = d.pop("attachments", UNSET)
        attachments: list[ListedFile] | Unset = UNSET
        if _attachments is not UNSET:
            attachments = []
            for attachments_item_data in _attachments:
                attachments_item = ListedFile.from_dict(attachments_item_data)

                attachments.append(attachments_item)

        _feedback = d.pop("feedback", UNSET)
        feedback: FeedbackShown | Unset
        if isinstance(_feedback, Unset):
            feedback = UNSET
        else:
            feedback = FeedbackShown.from_dict(_feedback)

        _rich_content = d.pop("richContent", UNSET)
        rich_content: list[ChatElement] | Unset = UNSET
        if _rich_content is not UNSET:
            rich_content = []
            for rich_content_item_data in _rich_content:
                rich_content_item = ChatElement.from_dict(rich_content_item_data)

                rich_content.append(rich_content_item)

        taken_back = d.pop("takenBack", UNSET)

        transcript_message = cls(
            content=content,
            id=id,
            role=role,
            timestamp=timestamp,
            agent_name=agent_name,
            attachments=attachments,
            feedback=feedback,
            rich_content=rich_content,
            taken_back=taken_back,
        )

        transcript_message.additional_properties = d
        return transcript_message

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
