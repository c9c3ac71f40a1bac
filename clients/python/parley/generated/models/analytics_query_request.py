from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, TypeVar, cast

from attrs import define as _attrs_define
from attrs import field as _attrs_field

from ..models.analytics_query_request_category import AnalyticsQueryRequestCategory
from ..types import UNSET, Unset

if TYPE_CHECKING:
    from ..models.time_range import TimeRange


T = TypeVar("T", bound="AnalyticsQueryRequest")


@_attrs_define
class AnalyticsQueryRequest:
    """
    Attributes:
        time_range (TimeRange):
        agent_name (str | Unset): Only events of this agent.
        category (AnalyticsQueryRequestCategory | Unset): Only events of this category.
        event_types (list[str] | Unset): Only events of these types.
        has_error (bool | Unset): true: only events that are errors. false filters nothing.
        limit (int | Unset): Events to return. Default: 100.
        offset (int | Unset): Events to skip. Default: 0.
        session_id (str | Unset): Only events of this session.
    """

    time_range: TimeRange
    agent_name: str | Unset = UNSET
    category: AnalyticsQueryRequestCategory | Unset = UNSET
    event_types: list[str] | Unset = UNSET
    has_error: bool | Unset = UNSET
    limit: int | Unset = 100
    offset: int | Unset = 0
    session_id: str | Unset = UNSET
    additional_properties: dict[str, Any] = _attrs_field(init=False, factory=dict)

    def to_dict(self) -> dict[str, Any]:
        time_range = self.time_range.to_dict()

        agent_name = self.agent_name

        category: str | Unset = UNSET
        if not isinstance(self.category, Unset):
            category = self.category.value

        event_types: list[str] | Unset = UNSET
        if not isinstance(self.event_types, Unset):
            event_types = self.event_types

        has_error = self.has_error

        limit = self.limit

        offset = self.offset

        session_id = self.session_id

        field_dict: dict[str, Any] = {}
        field_dict.update(self.additional_properties)
        field_dict.update(
            {
                "timeRange": time_range,
            }
        )
        if agent_name is not UNSET:
            field_dict["agentName"] = agent_name
        if category is not UNSET:
            field_dict["category"] = category
        if event_types is not UNSET:
            field_dict["eventTypes"] = event_types
        if has_error is not UNSET:
            field_dict["hasError"] = has_error
        if limit is not UNSET:
            field_dict["limit"] = limit
        if offset is not UNSET:
            field_dict["offset"] = offset
        if session_id is not UNSET:
            field_dict["sessionId"] = session_id

        return field_dict

    @classmethod
    def from_dict(cls: type[T], src_dict: Mapping[str, Any]) -> T:
        from ..models.time_range import TimeRange  # noqa: PLC0415

        d = dict(src_dict)
        time_range = TimeRange.from_dict(d.pop("timeRange"))

        agent_name = d.pop("agentName", UNSET)

        _category = d.pop("category", UNSET)
        category: AnalyticsQueryRequestCategory | Unset
        if isinstance(_category, Unset):
            category = UNSET
        else:
            category = AnalyticsQueryRequestCategory(_category)

        event_types = cast(list[str], d.pop("eventTypes", UNSET))

        has_error = d.pop("hasError", UNSET)

        limit = d.pop("limit", UNSET)

        offset = d.pop("offset", UNSET)

        session_id = d.pop("sessionId", UNSET)

        analytics_query_request = cls(
            time_range=time_range,
            agent_name=agent_name,
            category=category,
            event_types=event_types,
            has_error=has_error,
            limit=limit,
            offset=offset,
            session_id=session_id,
        )

        analytics_query_request.additional_properties = d
        return analytics_query_request

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
