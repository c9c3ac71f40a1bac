from enum import StrEnum


class ConversationMessageAssist(StrEnum):
    PENDING = "pending"

    def __str__(self) -> str:
        return str(self.value)
