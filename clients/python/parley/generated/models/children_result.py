from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, TypeVar

from attrs import define as _attrs_define
from attrs import field as _attrs_field

if TYPE_CHECKING:
    from ..models.pagination import Pagination
    from ..models.span import Span
    from ..models.traced_event import TracedEvent


T = TypeVar("T", bound="ChildrenResult")


@_attrs_define
class ChildrenResult:
    """
    Attributes:
        children (list[Span]): The spans directly in it, oldest first.
        events (list[TracedEvent]): Of these spans themselves: what is further below is read as their children.
        pagination (Pagination):
        span (Span):
        success (bool):
    """

    children: list[Span]
    events: list[TracedEvent]
    pagination: Pagination
    span: Span
    success: bool
    additional_properties: dict[str, Any] = _attrs_field(init=False, factory=dict)

    def to_dict(self) -> dict[str, Any]:
        children = []
        for children_item_data in self.children:
            children_item = children_item_data.to_dict()
            children.append(children_item)

        events = []
        for events_item_data in self.events:
            events_item = events_item_data.to_dict()
            events.append(events_item)

        pagination = self.pagination.to_dict()

        span = self.span.to_dict()

        success = self.success

        field_dict: dict[str, Any] = {}
        field_dict.update(self.additional_properties)
        field_dict.update(
            {
                "children": children,
                "events": events,
                "pagination": pagination,
                "span": span,
                "success": success,
            }
        )

        return field_dict

    @classmethod
    def from_dict(cls: type[T], src_dict: Mapping[str, Any]) -> T:
        from ..models.pagination import Pagination  # noqa: PLC0415
        from ..models.span import Span  # noqa: PLC0415
        from ..models.traced_event import TracedEvent  # noqa: PLC0415

        d = dict(src_dict)
        children = []
        _children = d.pop("children")
        for children_item_data in _children:
            children_item = Span.from_dict(children_item_data)

            children.append(children_item)

        events = []
        _events = d.pop("events")
        for events_item_data in _events:
            events_item = TracedEvent.from_dict(events_item_data)

            events.append(events_item)

        pagination = Pagination.from_dict(d.pop("pagination"))

        span = Span.from_dict(d.pop("span"))

        success = d.pop("success")

        children_result = cls(
            children=children,
            events=events,
            pagination=pagination,
            span=span,
            success=success,
        )

        children_result.additional_properties = d
        return children_result

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
