from enum import StrEnum


class CallFailedNotificationStatus(StrEnum):
    FAILED = "Failed"

    def __str__(self) -> str:
        return str(self.value)
