from enum import StrEnum


class CallingHoursFrequency(StrEnum):
    CUSTOM = "CUSTOM"
    DAILY = "DAILY"
    WEEKLY = "WEEKLY"

    def __str__(self) -> str:
        return str(self.value)
