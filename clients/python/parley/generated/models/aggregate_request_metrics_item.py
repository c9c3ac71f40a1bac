from enum import StrEnum


class AggregateRequestMetricsItem(StrEnum):
    AVG_DURATION = "avg_duration"
    COUNT = "count"
    ERROR_RATE = "error_rate"
    P95_DURATION = "p95_duration"
    SUM_COST = "sum_cost"
    SUM_TOKENS = "sum_tokens"

    def __str__(self) -> str:
        return str(self.value)
