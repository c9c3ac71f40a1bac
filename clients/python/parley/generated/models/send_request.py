from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, TypeVar, cast

from attrs import define as _attrs_define
from attrs import field as _attrs_field

from ..models.send_request_on_busy import SendRequestOnBusy
from ..types import UNSET, Unset

if TYPE_CHECKING:
    from ..models.chosen_action import ChosenAction
    from ..models.send_request_metadata import SendRequestMetadata


T = TypeVar("T", bound="SendRequest")


@_attrs_define
class SendRequest:
    """
    Attributes:
        session_id (str):
        action (ChosenAction | Unset):
        attachment_ids (list[str] | Unset): Files of the session, each of which comes once; with them message may be
            empty.
        message (str | Unset): This or attachmentIds is required; blanks alone are none.
        metadata (SendRequestMetadata | Unset): As of chat-agent.
        on_busy (SendRequestOnBusy | Unset): As of chat-agent (extension).
    """

    session_id: str
    action: ChosenAction | Unset = UNSET
    attachment_ids: list[str] | Unset = UNSET
    message: str | Unset = UNSET
    metadata: SendRequestMetadata | Unset = UNSET
    on_busy: SendRequestOnBusy | Unset = UNSET
    additional_properties: dict[str, Any] = _attrs_field(init=False, factory=dict)

    def to_dict(self) -> dict[str, Any]:
        session_id = self.session_id

        action: dict[str, Any] | Unset = UNSET
        if not isinstance(self.action, Unset):
            action = self.action.to_dict()

        attachment_ids: list[str] | Unset = UNSET
        if not isinstance(self.attachment_ids, Unset):
            attachment_ids = self.attachment_ids

        message = self.message

        metadata: dict[str, Any] | Unset = UNSET
        if not isinstance(self.metadata, Unset):
            metadata = self.metadata.to_dict()

        on_busy: str | Unset = UNSET
        if not isinstance(self.on_busy, Unset):
            on_busy = self.on_busy.value

        field_dict: dict[str, Any] = {}
        field_dict.update(self.additional_properties)
        field_dict.update(
            {
                "sessionId": session_id,
            }
        )
        if action is not UNSET:
            field_dict["action"] = action
        if attachment_ids is not UNSET:
            field_dict["attachmentIds"] = attachment_ids
        if message is not UNSET:
            field_dict["message"] = message
        if metadata is not UNSET:
            field_dict["metadata"] = metadata
        if on_busy is not UNSET:
            field_dict["onBusy"] = on_busy

        return field_dict

    @classmethod
    def from_dict(cls: type[T], src_dict: Mapping[str, Any]) -> T:
        from ..models.chosen_action import ChosenAction  # noqa: PLC0415
        from ..models.send_request_metadata import SendRequestMetadata  # noqa: PLC0415

        d = dict(src_dict)
        session_id = d.pop("sessionId")

        _action = d.pop("action", UNSET)
        action: ChosenAction | Unset
        if isinstance(_action, Unset):
            action = UNSET
        else:
            action = ChosenAction.from_dict(_action)

        attachment_ids = cast(list[str], d.pop("attachmentIds", UNSET))

        message = d.pop("message", UNSET)

        _metadata = d.pop("metadata", UNSET)
        metadata: SendRequestMetadata | Unset
        if isinstance(_metadata, Unset):
            metadata = UNSET
        else:
            metadata = SendRequestMetadata.from_dict(_metadata)

        _on_busy = d.pop("onBusy", UNSET)
        on_busy: SendRequestOnBusy | Unset
        if isinstance(_on_busy, Unset):
            on_busy = UNSET
        else:
            on_busy = SendRequestOnBusy(_on_busy)

        send_request = cls(
            session_id=session_id,
            action=action,
            attachment_ids=attachment_ids,
            message=message,
            metadata=metadata,
            on_busy=on_busy,
        )

        send_request.additional_properties = d
        return send_request

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
