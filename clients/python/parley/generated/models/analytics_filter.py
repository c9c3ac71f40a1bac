from __future__ import annotations

from collections.abc import Mapping
from typing import Any, TypeVar, cast

from attrs import define as _attrs_define
from attrs import field as _attrs_field

from ..models.analytics_filter_category import AnalyticsFilterCategory
from ..types import UNSET, Unset

T = TypeVar("T", bound="AnalyticsFilter")


@_attrs_define
class AnalyticsFilter:
    """
    Attributes:
        agent_name (str | Unset): Only events of this agent.
        category (AnalyticsFilterCategory | Unset): Only events of this category.
        channel (str | Unset): Only events of this channel, by its slug or as call details show it.
        event_types (list[str] | Unset): Only events of these types.
        event_type (str | Unset): As eventTypes with this one alone.
        has_error (bool | Unset): true: only events that are errors. false filters nothing.
        session_id (str | Unset): Only events of this session.
    """

    agent_name: str | Unset = UNSET
    category: AnalyticsFilterCategory | Unset = UNSET
    channel: str | Unset = UNSET
    event_types: list[str] | Unset = UNSET
    event_type: str | Unset = UNSET
    has_error: bool | Unset = UNSET
    session_id: str | Unset = UNSET
    additional_properties: dict[str, Any] = _attrs_field(init=False, factory=dict)

    def to_dict(self) -> dict[str, Any]:
        agent_name = self.agent_name

        category: str | Unset = UNSET
        if not isinstance(self.category, Unset):
            category = self.category.value

        channel = self.channel

        event_types: list[str] | Unset = UNSET
        if not isinstance(self.event_types, Unset):
            event_types = self.event_types

        event_type = self.event_type

        has_error = self.has_error

        session_id = self.session_id

        field_dict: dict[str, Any] = {}
        field_dict.update(self.additional_properties)
        field_dict.update({})
        if agent_name is not UNSET:
            field_dict["agentName"] = agent_name
        if category is not UNSET:
            field_dict["category"] = category
        if channel is not UNSET:
            field_dict["channel"] = channel
        if event_types is not UNSET:
            field_dict["eventTypes"] = event_types
        if event_type is not UNSET:
            field_dict["event_type"] = event_type
        if has_error is not UNSET:
            field_dict["hasError"] = has_error
        if session_id is not UNSET:
            field_dict["sessionId"] = session_id

        return field_dict

    @classmethod
    def from_dict(cls: type[T], src_dict: Mapping[str, Any]) -> T:
        d = dict(src_dict)
        agent_name = d.pop("agentName", UNSET)

        _category = d.pop("category", UNSET)
        category: AnalyticsFilterCategory | Unset
        if isinstance(_category, Unset):
            category = UNSET
        else:
            category = AnalyticsFilterCategory(_category)

        channel = d.pop("channel", UNSET)

        event_types = cast(list[str], d.pop("eventTypes", UNSET))

        event_type = d.pop("event_type", UNSET)

        has_error = d.pop("hasError", UNSET)

        session_id = d.pop("sessionId", UNSET)

        analytics_filter = cls(
            agent_name=agent_name,
            category=category,
            channel=channel,
            event_types=event_types,
            event_type=event_type,
            has_error=has_error,
            session_id=session_id,
        )

        analytics_filter.additional_properties = d
        return analytics_filter

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
