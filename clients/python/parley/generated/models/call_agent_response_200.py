from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, TypeVar

from attrs import define as _attrs_define
from attrs import field as _attrs_field

from ..types import UNSET, Unset

if TYPE_CHECKING:
    from ..models.call_agent_response_200_error import CallAgentResponse200Error
    from ..models.call_agent_response_200_result import CallAgentResponse200Result


T = TypeVar("T", bound="CallAgentResponse200")


@_attrs_define
class CallAgentResponse200:
    """
    Attributes:
        id (Any):
        jsonrpc (str):
        error (CallAgentResponse200Error | Unset):
        result (CallAgentResponse200Result | Unset):
    """

    id: Any
    jsonrpc: str
    error: CallAgentResponse200Error | Unset = UNSET
    result: CallAgentResponse200Result | Unset = UNSET
    additional_properties: dict[str, Any] = _attrs_field(init=False, factory=dict)

    def to_dict(self) -> dict[str, Any]:
        id = self.id

        jsonrpc = self.jsonrpc

        error: dict[str, Any] | Unset = UNSET
        if not isinstance(self.error, Unset):
            error = self.error.to_dict()

        result: dict[str, Any] | Unset = UNSET
        if not isinstance(self.result, Unset):
            result = self.result.to_dict()

        field_dict: dict[str, Any] = {}
        field_dict.update(self.additional_properties)
        field_dict.update(
            {
                "id": id,
                "jsonrpc": jsonrpc,
            }
        )
        if error is not UNSET:
            field_dict["error"] = error
        if result is not UNSET:
            field_dict["result"] = result

        return field_dict

    @classmethod
    def from_dict(cls: type[T], src_dict: Mapping[str, Any]) -> T:
        from ..models.call_agent_response_200_error import (
            CallAgentResponse200Error,  # noqa: PLC0415
        )
        from ..models.call_agent_response_200_result import (
            CallAgentResponse200Result,  # noqa: PLC0415
        )

        d = dict(src_dict)
        id = d.pop("id")

        jsonrpc = d.pop("jsonrpc")

        _error = d.pop("error", UNSET)
        error: CallAgentResponse200Error | Unset
        if isinstance(_error, Unset):
            error = UNSET
        else:
            error = CallAgentResponse200Error.from_dict(_error)

        _result = d.pop("result", UNSET)
        result: CallAgentResponse200Result | Unset
        if isinstance(_result, Unset):
            result = UNSET
        else:
            result = CallAgentResponse200Result.from_dict(_result)

        call_agent_response_200 = cls(
            id=id,
            jsonrpc=jsonrpc,
            error=error,
            result=result,
        )

        call_agent_response_200.additional_properties = d
        return call_agent_response_200

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
