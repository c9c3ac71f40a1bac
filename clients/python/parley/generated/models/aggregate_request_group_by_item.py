from enum import StrEnum


class AggregateRequestGroupByItem(StrEnum):
    AGENT_NAME = "agent_name"
    CATEGORY = "category"
    CHANNEL = "channel"
    DAY = "day"
    EVENT_TYPE = "event_type"
    HOUR = "hour"

    def __str__(self) -> str:
        return str(self.value)
