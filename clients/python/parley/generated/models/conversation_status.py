from enum import StrEnum


class ConversationStatus(StrEnum):
    ACTIVE = "active"
    CLOSING = "closing"
    ENDED = "ended"
    TRANSFERRING = "transferring"
    WAITING = "waiting"

    def __str__(self) -> str:
        return str(self.value)
