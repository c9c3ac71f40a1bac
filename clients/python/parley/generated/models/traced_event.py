from __future__ import annotations

import datetime
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, TypeVar

from attrs import define as _attrs_define
from attrs import field as _attrs_field

from ..types import UNSET, Unset

if TYPE_CHECKING:
    from ..models.traced_event_data import TracedEventData


T = TypeVar("T", bound="TracedEvent")


@_attrs_define
class TracedEvent:
    """
    Attributes:
        data (TracedEventData):
        id (str):
        parent_span_id (str): The span that this one is in.
        span_id (str):
        timestamp (datetime.datetime):
        type_ (str):
        decision_kind (str | Unset):
    """

    data: TracedEventData
    id: str
    parent_span_id: str
    span_id: str
    timestamp: datetime.datetime
    type_: str
    decision_kind: str | Unset = UNSET
    additional_properties: dict[str, Any] = _attrs_field(init=False, factory=dict)

    def to_dict(self) -> dict[str, Any]:
        data = self.data.to_dict()

        id = self.id

        parent_span_id = self.parent_span_id

        span_id = self.span_id

        timestamp = self.timestamp.isoformat()

        type_ = self.type_

        decision_kind = self.decision_kind

        field_dict: dict[str, Any] = {}
        field_dict.update(self.additional_properties)
        field_dict.update(
            {
                "data": data,
                "id": id,
                "parentSpanId": parent_span_id,
                "spanId": span_id,
                "timestamp": timestamp,
                "type": type_,
            }
        )
        if decision_kind is not UNSET:
            field_dict["decisionKind"] = decision_kind

        return field_dict

    @classmethod
    def from_dict(cls: type[T], src_dict: Mapping[str, Any]) -> T:
        from ..models.traced_event_data import TracedEventData  # noqa: PLC0415

        d = dict(src_dict)
        data = TracedEventData.from_dict(d.pop("data"))

        id = d.pop("id")

        parent_span_id = d.pop("parentSpanId")

        span_id = d.pop("spanId")

        timestamp = datetime.datetime.fromisoformat(d.pop("timestamp"))

        type_ = d.pop("type")

        decision_kind = d.pop("decisionKind", UNSET)

        traced_event = cls(
            data=data,
            id=id,
            parent_span_id=parent_span_id,
            span_id=span_id,
            timestamp=timestamp,
            type_=type_,
            decision_kind=decision_kind,
        )

        traced_event.additional_properties = d
        return traced_event

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
