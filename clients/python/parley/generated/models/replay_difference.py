from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, TypeVar

from attrs import define as _attrs_define
from attrs import field as _attrs_field

from ..types import UNSET, Unset

if TYPE_CHECKING:
    from ..models.replayed_event import ReplayedEvent


T = TypeVar("T", bound="ReplayDifference")


@_attrs_define
class ReplayDifference:
    """
    Attributes:
        agent_name (str): Where the conversation stood before it.
        input_ (str): What was decided on, in words.
        step (str):
        turn (int):
        expected (ReplayedEvent | Unset):
        got (ReplayedEvent | Unset):
        refused (str | Unset): In place of got: why nothing was decided.
    """

    agent_name: str
    input_: str
    step: str
    turn: int
    expected: ReplayedEvent | Unset = UNSET
    got: ReplayedEvent | Unset = UNSET
    refused: str | Unset = UNSET
    additional_properties: dict[str, Any] = _attrs_field(init=False, factory=dict)

    def to_dict(self) -> dict[str, Any]:
        agent_name = self.agent_name

        input_ = self.input_

        step = self.step

        turn = self.turn

        expected: dict[str, Any] | Unset = UNSET
        if not isinstance(self.expected, Unset):
            expected = self.expected.to_dict()

        got: dict[str, Any] | Unset = UNSET
        if not isinstance(self.got, Unset):
            got = self.got.to_dict()

        refused = self.refused

        field_dict: dict[str, Any] = {}
        field_dict.update(self.additional_properties)
        field_dict.update(
            {
                "agentName": agent_name,
                "input": input_,
                "step": step,
                "turn": turn,
            }
        )
        if expected is not UNSET:
            field_dict["expected"] = expected
        if got is not UNSET:
            field_dict["got"] = got
        if refused is not UNSET:
            field_dict["refused"] = refused

        return field_dict

    @classmethod
    def from_dict(cls: type[T], src_dict: Mapping[str, Any]) -> T:
        from ..models.replayed_event import ReplayedEvent  # noqa: PLC0415

        d = dict(src_dict)
        agent_name = d.pop("agentName")

        input_ = d.pop("input")

        step = d.pop("step")

        turn = d.pop("turn")

        _expected = d.pop("expected", UNSET)
        expected: ReplayedEvent | Unset
        if isinstance(_expected, Unset):
            expected = UNSET
        else:
            expected = ReplayedEvent.from_dict(_expected)

        _got = d.pop("got", UNSET)
        got: ReplayedEvent | Unset
        if isinstance(_got, Unset):
            got = UNSET
        else:
            got = ReplayedEvent.from_dict(_got)

        refused = d.pop("refused", UNSET)

        replay_difference = cls(
            agent_name=agent_name,
            input_=input_,
            step=step,
            turn=turn,
            expected=expected,
            got=got,
            refused=refused,
        )

        replay_difference.additional_properties = d
        return replay_difference

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
