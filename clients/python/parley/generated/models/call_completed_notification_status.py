from enum import StrEnum


class CallCompletedNotificationStatus(StrEnum):
    COMPLETED = "completed"

    def __str__(self) -> str:
        return str(self.value)
