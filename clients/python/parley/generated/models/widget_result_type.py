from enum import StrEnum


class WidgetResultType(StrEnum):
    BAR = "bar"
    LINE = "line"
    PIE = "pie"
    TABLE = "table"
    TILE = "tile"

    def __str__(self) -> str:
        return str(self.value)
