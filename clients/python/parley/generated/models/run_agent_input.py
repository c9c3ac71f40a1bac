from __future__ import annotations

from collections.abc import Mapping
from typing import Any, TypeVar, cast

from attrs import define as _attrs_define
from attrs import field as _attrs_field

from ..types import UNSET, Unset

T = TypeVar("T", bound="RunAgentInput")


@_attrs_define
class RunAgentInput:
    """
    Attributes:
        context (Any | Unset):
        forwarded_props (Any | Unset):
        messages (list[Any] | Unset): Each {id, role, content}: content is a text, or a list of parts {type: text,
            text}.
        run_id (str | Unset):
        state (Any | Unset):
        thread_id (str | Unset):
        type_ (str | Unset): On a socket: run, or cancel.
    """

    context: Any | Unset = UNSET
    forwarded_props: Any | Unset = UNSET
    messages: list[Any] | Unset = UNSET
    run_id: str | Unset = UNSET
    state: Any | Unset = UNSET
    thread_id: str | Unset = UNSET
    type_: str | Unset = UNSET
    additional_properties: dict[str, Any] = _attrs_field(init=False, factory=dict)

    def to_dict(self) -> dict[str, Any]:
        context = self.context

        forwarded_props = self.forwarded_props

        messages: list[Any] | Unset = UNSET
        if not isinstance(self.messages, Unset):
            messages = self.messages

        run_id = self.run_id

        state = self.state

        thread_id = self.thread_id

        type_ = self.type_

        field_dict: dict[str, Any] = {}
        field_dict.update(self.additional_properties)
        field_dict.update({})
        if context is not UNSET:
            field_dict["context"] = context
        if forwarded_props is not UNSET:
            field_dict["forwardedProps"] = forwarded_props
        if messages is not UNSET:
            field_dict["messages"] = messages
        if run_id is not UNSET:
            field_dict["runId"] = run_id
        if state is not UNSET:
            field_dict["state"] = state
        if thread_id is not UNSET:
            field_dict["threadId"] = thread_id
        if type_ is not UNSET:
            field_dict["type"] = type_

        return field_dict

    @classmethod
    def from_dict(cls: type[T], src_dict: Mapping[str, Any]) -> T:
        d = dict(src_dict)
        context = d.pop("context", UNSET)

        forwarded_props = d.pop("forwardedProps", UNSET)

        messages = cast(list[Any], d.pop("messages", UNSET))

        run_id = d.pop("runId", UNSET)

        state = d.pop("state", UNSET)

        thread_id = d.pop("threadId", UNSET)

        type_ = d.pop("type", UNSET)

        run_agent_input = cls(
            context=context,
            forwarded_props=forwarded_props,
            messages=messages,
            run_id=run_id,
            state=state,
            thread_id=thread_id,
            type_=type_,
        )

        run_agent_input.additional_properties = d
        return run_agent_input

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
