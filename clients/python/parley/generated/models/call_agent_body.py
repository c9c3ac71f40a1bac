from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, TypeVar

from attrs import define as _attrs_define
from attrs import field as _attrs_field

from ..models.call_agent_body_jsonrpc import CallAgentBodyJsonrpc
from ..types import UNSET, Unset

if TYPE_CHECKING:
    from ..models.call_agent_body_message import CallAgentBodyMessage
    from ..models.call_agent_body_params import CallAgentBodyParams


T = TypeVar("T", bound="CallAgentBody")


@_attrs_define
class CallAgentBody:
    """
    Attributes:
        id (Any | Unset):
        jsonrpc (CallAgentBodyJsonrpc | Unset):
        message (CallAgentBodyMessage | Unset):
        method (str | Unset):
        params (CallAgentBodyParams | Unset):
    """

    id: Any | Unset = UNSET
    jsonrpc: CallAgentBodyJsonrpc | Unset = UNSET
    message: CallAgentBodyMessage | Unset = UNSET
    method: str | Unset = UNSET
    params: CallAgentBodyParams | Unset = UNSET
    additional_properties: dict[str, Any] = _attrs_field(init=False, factory=dict)

    def to_dict(self) -> dict[str, Any]:
        id = self.id

        jsonrpc: str | Unset = UNSET
        if not isinstance(self.jsonrpc, Unset):
            jsonrpc = self.jsonrpc.value

        message: dict[str, Any] | Unset = UNSET
        if not isinstance(self.message, Unset):
            message = self.message.to_dict()

        method = self.method

        params: dict[str, Any] | Unset = UNSET
        if not isinstance(self.params, Unset):
            params = self.params.to_dict()

        field_dict: dict[str, Any] = {}
        field_dict.update(self.additional_properties)
        field_dict.update({})
        if id is not UNSET:
            field_dict["id"] = id
        if jsonrpc is not UNSET:
            field_dict["jsonrpc"] = jsonrpc
        if message is not UNSET:
            field_dict["message"] = message
        if method is not UNSET:
            field_dict["method"] = method
        if params is not UNSET:
            field_dict["params"] = params

        return field_dict

    @classmethod
    def from_dict(cls: type[T], src_dict: Mapping[str, Any]) -> T:
        from ..models.call_agent_body_message import (
            CallAgentBodyMessage,  # noqa: PLC0415
        )
        from ..models.call_agent_body_params import CallAgentBodyParams  # noqa: PLC0415

        d = dict(src_dict)
        id = d.pop("id", UNSET)

        _jsonrpc = d.pop("jsonrpc", UNSET)
        jsonrpc: CallAgentBodyJsonrpc | Unset
        if isinstance(_jsonrpc, Unset):
            jsonrpc = UNSET
        else:
            jsonrpc = CallAgentBodyJsonrpc(_jsonrpc)

        _message = d.pop("message", UNSET)
        message: CallAgentBodyMessage | Unset
        if isinstance(_message, Unset):
            message = UNSET
        else:
            message = CallAgentBodyMessage.from_dict(_message)

        method = d.pop("method", UNSET)

        _params = d.pop("params", UNSET)
        params: CallAgentBodyParams | Unset
        if isinstance(_params, Unset):
            params = UNSET
        else:
            params = CallAgentBodyParams.from_dict(_params)

        call_agent_body = cls(
            id=id,
            jsonrpc=jsonrpc,
            message=message,
            method=method,
            params=params,
        )

        call_agent_body.additional_properties = d
        return call_agent_body

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
