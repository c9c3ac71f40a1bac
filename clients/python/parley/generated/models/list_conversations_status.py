from enum import StrEnum


class ListConversationsStatus(StrEnum):
    ACTIVE = "active"
    CLOSING = "closing"
    ENDED = "ended"
    TRANSFERRING = "transferring"
    WAITING = "waiting"

    def __str__(self) -> str:
        return str(self.value)
