from enum import StrEnum


class CallAnsweredNotificationStatus(StrEnum):
    ANSWERED = "Answered"

    def __str__(self) -> str:
        return str(self.value)
