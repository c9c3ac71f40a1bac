from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, TypeVar

from attrs import define as _attrs_define
from attrs import field as _attrs_field

from ..types import UNSET, Unset

if TYPE_CHECKING:
    from ..models.chosen_action import ChosenAction
    from ..models.door_request_metadata import DoorRequestMetadata


T = TypeVar("T", bound="DoorRequest")


@_attrs_define
class DoorRequest:
    """
    Attributes:
        message (str): What is said.
        project_id (str): A project's id or alias.
        action (ChosenAction | Unset):
        connection (str | Unset): The externalIdentifier of the connection.
        language (str | Unset): Of a new session.
        metadata (DoorRequestMetadata | Unset): As of chat-agent.
        session_id (str | Unset): Goes on with a session of this kind; left out: a new one begins.
    """

    message: str
    project_id: str
    action: ChosenAction | Unset = UNSET
    connection: str | Unset = UNSET
    language: str | Unset = UNSET
    metadata: DoorRequestMetadata | Unset = UNSET
    session_id: str | Unset = UNSET
    additional_properties: dict[str, Any] = _attrs_field(init=False, factory=dict)

    def to_dict(self) -> dict[str, Any]:
        message = self.message

        project_id = self.project_id

        action: dict[str, Any] | Unset = UNSET
        if not isinstance(self.action, Unset):
            action = self.action.to_dict()

        connection = self.connection

        language = self.language

        metadata: dict[str, Any] | Unset = UNSET
        if not isinstance(self.metadata, Unset):
            metadata = self.metadata.to_dict()

        session_id = self.session_id

        field_dict: dict[str, Any] = {}
        field_dict.update(self.additional_properties)
        field_dict.update(
            {
                "message": message,
                "projectId": project_id,
            }
        )
        if action is not UNSET:
            field_dict["action"] = action
        if connection is not UNSET:
            field_dict["connection"] = connection
        if language is not UNSET:
            field_dict["language"] = language
        if metadata is not UNSET:
            field_dict["metadata"] = metadata
        if session_id is not UNSET:
            field_dict["sessionId"] = session_id

        return field_dict

    @classmethod
    def from_dict(cls: type[T], src_dict: Mapping[str, Any]) -> T:
        from ..models.chosen_action import ChosenAction  # noqa: PLC0415
        from ..models.door_request_metadata import DoorRequestMetadata  # noqa: PLC0415

        d = dict(src_dict)
        message = d.pop("message")

        project_id = d.pop("projectId")

        _action = d.pop("action", UNSET)
        action: ChosenAction | Unset
        if isinstance(_action, Unset):
            action = UNSET
        else:
            action = ChosenAction.from_dict(_action)

        connection = d.pop("connection", UNSET)

        language = d.pop("language", UNSET)

        _metadata = d.pop("metadata", UNSET)
        metadata: DoorRequestMetadata | Unset
        if isinstance(_metadata, Unset):
            metadata = UNSET
        else:
            metadata = DoorRequestMetadata.from_dict(_metadata)

        session_id = d.pop("sessionId", UNSET)

        door_request = cls(
            message=message,
            project_id=project_id,
            action=action,
            connection=connection,
            language=language,
            metadata=metadata,
            session_id=session_id,
        )

        door_request.additional_properties = d
        return door_request

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
