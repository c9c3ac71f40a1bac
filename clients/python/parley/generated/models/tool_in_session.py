from __future__ import annotations

from collections.abc import Mapping
from typing import Any, TypeVar

from attrs import define as _attrs_define
from attrs import field as _attrs_field

T = TypeVar("T", bound="ToolInSession")


@_attrs_define
class ToolInSession:
    """
    Attributes:
        count (int): Those that failed as well.
        failed (int):
        mocked (int): That a test answered.
        p_50_ms (int): Of those that were made: half of them took as long at most, with their repeats.
        p_95_ms (int):
        tool (str):
        unknown (int): Of which nobody knows whether they were done; failed counts them too.
    """

    count: int
    failed: int
    mocked: int
    p_50_ms: int
    p_95_ms: int
    tool: str
    unknown: int
    additional_properties: dict[str, Any] = _attrs_field(init=False, factory=dict)

    def to_dict(self) -> dict[str, Any]:
        count = self.count

        failed = self.failed

        mocked = self.mocked

        p_50_ms = self.p_50_ms

        p_95_ms = self.p_95_ms

        tool = self.tool

        unknown = self.unknown

        field_dict: dict[str, Any] = {}
        field_dict.update(self.additional_properties)
        field_dict.update(
            {
                "count": count,
                "failed": failed,
                "mocked": mocked,
                "p50Ms": p_50_ms,
                "p95Ms": p_95_ms,
                "tool": tool,
                "unknown": unknown,
            }
        )

        return field_dict

    @classmethod
    def from_dict(cls: type[T], src_dict: Mapping[str, Any]) -> T:
        d = dict(src_dict)
        count = d.pop("count")

        failed = d.pop("failed")

        mocked = d.pop("mocked")

        p_50_ms = d.pop("p50Ms")

        p_95_ms = d.pop("p95Ms")

        tool = d.pop("tool")

        unknown = d.pop("unknown")

        tool_in_session = cls(
            count=count,
            failed=failed,
            mocked=mocked,
            p_50_ms=p_50_ms,
            p_95_ms=p_95_ms,
            tool=tool,
            unknown=unknown,
        )

        tool_in_session.additional_properties = d
        return tool_in_session

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
