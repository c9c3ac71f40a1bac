from enum import StrEnum


class WidgetMetricType(StrEnum):
    NUMBER = "number"

    def __str__(self) -> str:
        return str(self.value)
