from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, TypeVar

from attrs import define as _attrs_define
from attrs import field as _attrs_field

if TYPE_CHECKING:
    from ..models.analytics_event import AnalyticsEvent


T = TypeVar("T", bound="AnalyticsPage")


@_attrs_define
class AnalyticsPage:
    """
    Attributes:
        events (list[AnalyticsEvent]): Newest first.
        has_more (bool): Whether there are more behind this page.
        total (int): All that fit, whatever the limit.
    """

    events: list[AnalyticsEvent]
    has_more: bool
    total: int
    additional_properties: dict[str, Any] = _attrs_field(init=False, factory=dict)

    def to_dict(self) -> dict[str, Any]:
        events = []
        for events_item_data in self.events:
            events_item = events_item_data.to_dict()
            events.append(events_item)

        has_more = self.has_more

        total = self.total

        field_dict: dict[str, Any] = {}
        field_dict.update(self.additional_properties)
        field_dict.update(
            {
                "events": events,
                "hasMore": has_more,
                "total": total,
            }
        )

        return field_dict

    @classmethod
    def from_dict(cls: type[T], src_dict: Mapping[str, Any]) -> T:
        from ..models.analytics_event import AnalyticsEvent  # noqa: PLC0415

        d = dict(src_dict)
        events = []
        _events = d.pop("events")
        for events_item_data in _events:
            events_item = AnalyticsEvent.from_dict(events_item_data)

            events.append(events_item)

        has_more = d.pop("hasMore")

        total = d.pop("total")

        analytics_page = cls(
            events=events,
            has_more=has_more,
            total=total,
        )

        analytics_page.additional_properties = d
        return analytics_page

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
