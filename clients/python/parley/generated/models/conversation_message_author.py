from enum import StrEnum


class ConversationMessageAuthor(StrEnum):
    AGENT = "AGENT"
    USER = "USER"

    def __str__(self) -> str:
        return str(self.value)
