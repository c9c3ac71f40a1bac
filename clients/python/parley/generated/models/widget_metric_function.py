from enum import StrEnum


class WidgetMetricFunction(StrEnum):
    AVG = "avg"
    COUNT = "count"
    MAX = "max"
    MIN = "min"
    P95 = "p95"
    SUM = "sum"

    def __str__(self) -> str:
        return str(self.value)
