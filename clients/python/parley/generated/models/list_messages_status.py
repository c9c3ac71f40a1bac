from enum import StrEnum


class ListMessagesStatus(StrEnum):
    FAILED = "failed"
    QUEUED = "queued"
    RETRYING = "retrying"
    SENDING = "sending"
    SENT = "sent"

    def __str__(self) -> str:
        return str(self.value)
