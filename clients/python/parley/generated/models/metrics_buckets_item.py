from __future__ import annotations

import datetime
from collections.abc import Mapping
from typing import Any, TypeVar, cast

from attrs import define as _attrs_define
from attrs import field as _attrs_field

from ..types import UNSET, Unset

T = TypeVar("T", bound="MetricsBucketsItem")


@_attrs_define
class MetricsBucketsItem:
    """Only the dimensions and metrics that were asked for.

    Attributes:
        agent_name (None | str | Unset): Null for events that have none.
        avg_duration (float | None | Unset): Milliseconds, over the events that have a duration; null without any.
        category (None | str | Unset): Null for events that have none.
        channel (None | str | Unset): Null for events that have none.
        count (float | Unset): Events.
        day (datetime.datetime | Unset): When it begins, UTC.
        error_rate (float | Unset): Share of the events that are errors, 0 to 1.
        event_type (None | str | Unset): Null for events that have none.
        hour (datetime.datetime | Unset): When it begins, UTC.
        p95_duration (float | None | Unset): Milliseconds: the nearest rank, of more than a thousand durations within
            0.4 %; null without any duration.
        sum_cost (float | None | Unset): Of language models, in dollars: 0 where the price is 0; null where there are
            tokens and no known price.
        sum_tokens (float | Unset): Of language models, in and out.
        unpriced (float | Unset): Beside sum_cost: events that took tokens whose price is not known. The sum leaves them
            out.
    """

    agent_name: None | str | Unset = UNSET
    avg_duration: float | None | Unset = UNSET
    category: None | str | Unset = UNSET
    channel: None | str | Unset = UNSET
    count: float | Unset = UNSET
    day: datetime.datetime | Unset = UNSET
    error_rate: float | Unset = UNSET
    event_type: None | str | Unset = UNSET
    hour: datetime.datetime | Unset = UNSET
    p95_duration: float | None | Unset = UNSET
    sum_cost: float | None | Unset = UNSET
    sum_tokens: float | Unset = UNSET
    unpriced: float | Unset = UNSET
    additional_properties: dict[str, Any] = _attrs_field(init=False, factory=dict)

    def to_dict(self) -> dict[str, Any]:
        agent_name: None | str | Unset
        if isinstance(self.agent_name, Unset):
            agent_name = UNSET
        else:
            agent_name = self.agent_name

        avg_duration: float | None | Unset
        if isinstance(self.avg_duration, Unset):
            avg_duration = UNSET
        else:
            avg_duration = self.avg_duration

        category: None | str | Unset
        if isinstance(self.category, Unset):
            category = UNSET
        else:
            category = self.category

        channel: None | str | Unset
        if isinstance(self.channel, Unset):
            channel = UNSET
        else:
            channel = self.channel

        count = self.count

        day: str | Unset = UNSET
        if not isinstance(self.day, Unset):
            day = self.day.isoformat()

        error_rate = self.error_rate

        event_type: None | str | Unset
        if isinstance(self.event_type, Unset):
            event_type = UNSET
        else:
            event_type = self.event_type

        hour: str | Unset = UNSET
        if not isinstance(self.hour, Unset):
            hour = self.hour.isoformat()

        p95_duration: float | None | Unset
        if isinstance(self.p95_duration, Unset):
            p95_duration = UNSET
        else:
            p95_duration = self.p95_duration

        sum_cost: float | None | Unset
        if isinstance(self.sum_cost, Unset):
            sum_cost = UNSET
        else:
            sum_cost = self.sum_cost

        sum_tokens = self.sum_tokens

        unpriced = self.unpriced

        field_dict: dict[str, Any] = {}
        field_dict.update(self.additional_properties)
        field_dict.update({})
        if agent_name is not UNSET:
            field_dict["agent_name"] = agent_name
        if avg_duration is not UNSET:
            field_dict["avg_duration"] = avg_duration
        if category is not UNSET:
            field_dict["category"] = category
        if channel is not UNSET:
            field_dict["channel"] = channel
        if count is not UNSET:
            field_dict["count"] = count
        if day is not UNSET:
            field_dict["day"] = day
        if error_rate is not UNSET:
            field_dict["error_rate"] = error_rate
        if event_type is not UNSET:
            field_dict["event_type"] = event_type
        if hour is not UNSET:
            field_dict["hour"] = hour
        if p95_duration is not UNSET:
            field_dict["p95_duration"] = p95_duration
        if sum_cost is not UNSET:
            field_dict["sum_cost"] = sum_cost
        if sum_tokens is not UNSET:
            field_dict["sum_tokens"] = sum_tokens
        if unpriced is not UNSET:
            field_dict["unpriced"] = unpriced

        return field_dict

    @classmethod
    def from_dict(cls: type[T], src_dict: Mapping[str, Any]) -> T:
        d = dict(src_dict)

        def _parse_agent_name(data: object) -> None | str | Unset:
            if data is None:
                return data
            if isinstance(data, Unset):
                return data
            return cast(None | str | Unset, data)

        agent_name = _parse_agent_name(d.pop("agent_name", UNSET))

        def _parse_avg_duration(data: object) -> float | None | Unset:
            if data is None:
                return data
            if isinstance(data, Unset):
                return data
            return cast(float | None | Unset, data)

        avg_duration = _parse_avg_duration(d.pop("avg_duration", UNSET))

        def _parse_category(data: object) -> None | str | Unset:
            if data is None:
                return data
            if isinstance(data, Unset):
                return data
            return cast(None | str | Unset, data)

        category = _parse_category(d.pop("category", UNSET))

        def _parse_channel(data: object) -> None | str | Unset:
            if data is None:
                return data
            if isinstance(data, Unset):
                return data
            return cast(None | str | Unset, data)

        channel = _parse_channel(d.pop("channel", UNSET))

        count = d.pop("count", UNSET)

        _day = d.pop("day", UNSET)
        day: datetime.datetime | Unset
        if isinstance(_day, Unset):
            day = UNSET
        else:
            day = datetime.datetime.fromisoformat(_day)

        error_rate = d.pop("error_rate", UNSET)

        def _parse_event_type(data: object) -> None | str | Unset:
            if data is None:
                return data
            if isinstance(data, Unset):
                return data
            return cast(None | str | Unset, data)

        event_type = _parse_event_type(d.pop("event_type", UNSET))

        _hour = d.pop("hour", UNSET)
        hour: datetime.datetime | Unset
        if isinstance(_hour, Unset):
            hour = UNSET
        else:
            hour = datetime.datetime.fromisoformat(_hour)

        def _parse_p95_duration(data: object) -> float | None | Unset:
            if data is None:
                return data
            if isinstance(data, Unset):
                return data
            return cast(float | None | Unset, data)

        p95_duration = _parse_p95_duration(d.pop("p95_duration", UNSET))

        def _parse_sum_cost(data: object) -> float | None | Unset:
            if data is None:
                return data
            if isinstance(data, Unset):
                return data
            return cast(float | None | Unset, data)

        sum_cost = _parse_sum_cost(d.pop("sum_cost", UNSET))

        sum_tokens = d.pop("sum_tokens", UNSET)

        unpriced = d.pop("unpriced", UNSET)

        metrics_buckets_item = cls(
            agent_name=agent_name,
            avg_duration=avg_duration,
            category=category,
            channel=channel,
            count=count,
            day=day,
            error_rate=error_rate,
            event_type=event_type,
            hour=hour,
            p95_duration=p95_duration,
            sum_cost=sum_cost,
            sum_tokens=sum_tokens,
            unpriced=unpriced,
        )

        metrics_buckets_item.additional_properties = d
        return metrics_buckets_item

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
