from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, TypeVar

from attrs import define as _attrs_define
from attrs import field as _attrs_field

from ..types import UNSET, Unset

if TYPE_CHECKING:
    from ..models.caller_context import CallerContext
    from ..models.test_context_gather_values import TestContextGatherValues
    from ..models.test_context_session_variables import TestContextSessionVariables
    from ..models.test_context_tool_mocks_item import TestContextToolMocksItem


T = TypeVar("T", bound="TestContext")


@_attrs_define
class TestContext:
    """
    Attributes:
        caller_context (CallerContext | Unset):
        gather_values (TestContextGatherValues | Unset): Values of slots of the agent, by name; judged as if the user
            had said them.
        session_variables (TestContextSessionVariables | Unset): session.* to begin with; of a new session only.
        skip_on_start (bool | Unset):
        start_at_step (str | Unset): A step of the agent's flow, of a new session only.
        tool_mocks (list[TestContextToolMocksItem] | Unset): Each {tool, when?, result or error, delayMs?, times?}, of a
            tool that an agent has; the first that fits answers, in this turn. Together at most 64 KiB.
    """

    caller_context: CallerContext | Unset = UNSET
    gather_values: TestContextGatherValues | Unset = UNSET
    session_variables: TestContextSessionVariables | Unset = UNSET
    skip_on_start: bool | Unset = UNSET
    start_at_step: str | Unset = UNSET
    tool_mocks: list[TestContextToolMocksItem] | Unset = UNSET
    additional_properties: dict[str, Any] = _attrs_field(init=False, factory=dict)

    def to_dict(self) -> dict[str, Any]:
        caller_context: dict[str, Any] | Unset = UNSET
        if not isinstance(self.caller_context, Unset):
            caller_context = self.caller_context.to_dict()

        gather_values: dict[str, Any] | Unset = UNSET
        if not isinstance(self.gather_values, Unset):
            gather_values = self.gather_values.to_dict()

        session_variables: dict[str, Any] | Unset = UNSET
        if not isinstance(self.session_variables, Unset):
            session_variables = self.session_variables.to_dict()

        skip_on_start = self.skip_on_start

        start_at_step = self.start_at_step

        tool_mocks: list[dict[str, Any]] | Unset = UNSET
        if not isinstance(self.tool_mocks, Unset):
            tool_mocks = []
            for tool_mocks_item_data in self.tool_mocks:
                tool_mocks_item = tool_mocks_item_data.to_dict()
                tool_mocks.append(tool_mocks_item)

        field_dict: dict[str, Any] = {}
        field_dict.update(self.additional_properties)
        field_dict.update({})
        if caller_context is not UNSET:
            field_dict["callerContext"] = caller_context
        if gather_values is not UNSET:
            field_dict["gatherValues"] = gather_values
        if session_variables is not UNSET:
            field_dict["sessionVariables"] = session_variables
        if skip_on_start is not UNSET:
            field_dict["skipOnStart"] = skip_on_start
        if start_at_step is not UNSET:
            field_dict["startAtStep"] = start_at_step
        if tool_mocks is not UNSET:
            field_dict["toolMocks"] = tool_mocks

        return field_dict

    @classmethod
    def from_dict(cls: type[T], src_dict: Mapping[str, Any]) -> T:
        from ..models.caller_context import CallerContext  # noqa: PLC0415
        from ..models.test_context_gather_values import (
            TestContextGatherValues,  # noqa: PLC0415
        )
        from ..models.test_context_session_variables import (
            TestContextSessionVariables,  # noqa: PLC0415
        )
        from ..models.test_context_tool_mocks_item import (
            TestContextToolMocksItem,  # noqa: PLC0415
        )

        d = dict(src_dict)
        _caller_context = d.pop("callerContext", UNSET)
        caller_context: CallerContext | Unset
        if isinstance(_caller_context, Unset):
            caller_context = UNSET
        else:
            caller_context = CallerContext.from_dict(_caller_context)

        _gather_values = d.pop("gatherValues", UNSET)
        gather_values: TestContextGatherValues | Unset
        if isinstance(_gather_values, Unset):
            gather_values = UNSET
        else:
            gather_values = TestContextGatherValues.from_dict(_gather_values)

        _session_variables = d.pop("sessionVariables", UNSET)
        session_variables: TestContextSessionVariables | Unset
        if isinstance(_session_variables, Unset):
            session_variables = UNSET
        else:
            session_variables = TestContextSessionVariables.from_dict(
                _session_variables
            )

        skip_on_start = d.pop("skipOnStart", UNSET)

        start_at_step = d.pop("startAtStep", UNSET)

        _tool_mocks = d.pop("toolMocks", UNSET)
        tool_mocks: list[TestContextToolMocksItem] | Unset = UNSET
        if _tool_mocks is not UNSET:
            tool_mocks = []
            for tool_mocks_item_data in _tool_mocks:
                tool_mocks_item = TestContextToolMocksItem.from_dict(
                    tool_mocks_item_data
                )

                tool_mocks.append(tool_mocks_item)

        test_context = cls(
            caller_context=caller_context,
            gather_values=gather_values,
            session_variables=session_variables,
            skip_on_start=skip_on_start,
            start_at_step=start_at_step,
            tool_mocks=tool_mocks,
        )

        test_context.additional_properties = d
        return test_context

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
