from enum import StrEnum


class ConversationOrigin(StrEnum):
    CALL = "call"
    HOOK = "hook"
    TRANSFER = "transfer"

    def __str__(self) -> str:
        return str(self.value)
