from enum import StrEnum


class TextMessageStatus(StrEnum):
    FAILED = "failed"
    QUEUED = "queued"
    RETRYING = "retrying"
    SENDING = "sending"
    SENT = "sent"

    def __str__(self) -> str:
        return str(self.value)
