from __future__ import annotations

import datetime
from collections.abc import Mapping
from typing import Any, TypeVar

from attrs import define as _attrs_define
from attrs import field as _attrs_field

from ..models.finding_kind import FindingKind
from ..models.finding_severity import FindingSeverity
from ..types import UNSET, Unset

T = TypeVar("T", bound="Finding")


@_attrs_define
class Finding:
    """
    Attributes:
        count (int): How often.
        kind (FindingKind):
        message (str):
        severity (FindingSeverity):
        span_id (str): Where it is seen first.
        timestamp (datetime.datetime): Of the first.
        agent_name (str | Unset):
    """

    count: int
    kind: FindingKind
    message: str
    severity: FindingSeverity
    span_id: str
    timestamp: datetime.datetime
    agent_name: str | Unset = UNSET
    additional_properties: dict[str, Any] = _attrs_field(init=False, factory=dict)

    def to_dict(self) -> dict[str, Any]:
        count = self.count

        kind = self.kind.value

        message = self.message

        severity = self.severity.value

        span_id = self.span_id

        timestamp = self.timestamp.isoformat()

        agent_name = self.agent_name

        field_dict: dict[str, Any] = {}
        field_dict.update(self.additional_properties)
        field_dict.update(
            {
                "count": count,
                "kind": kind,
                "message": message,
                "severity": severity,
                "spanId": span_id,
                "timestamp": timestamp,
            }
        )
        if agent_name is not UNSET:
            field_dict["agentName"] = agent_name

        return field_dict

    @classmethod
    def from_dict(cls: type[T], src_dict: Mapping[str, Any]) -> T:
        d = dict(src_dict)
        count = d.pop("count")

        kind = FindingKind(d.pop("kind"))

        message = d.pop("message")

        severity = FindingSeverity(d.pop("severity"))

        span_id = d.pop("spanId")

        timestamp = datetime.datetime.fromisoformat(d.pop("timestamp"))

        agent_name = d.pop("agentName", UNSET)

        finding = cls(
            count=count,
            kind=kind,
            message=message,
            severity=severity,
            span_id=span_id,
            timestamp=timestamp,
            agent_name=agent_name,
        )

        finding.additional_properties = d
        return finding

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
