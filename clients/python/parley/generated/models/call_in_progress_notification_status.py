from enum import StrEnum


class CallInProgressNotificationStatus(StrEnum):
    CALL_IN_PROGRESS = "Call-In-Progress"

    def __str__(self) -> str:
        return str(self.value)
