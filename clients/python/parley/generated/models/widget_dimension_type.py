from enum import StrEnum


class WidgetDimensionType(StrEnum):
    DATE = "date"
    NUMBER = "number"
    STRING = "string"
    TIMESTAMP = "timestamp"

    def __str__(self) -> str:
        return str(self.value)
