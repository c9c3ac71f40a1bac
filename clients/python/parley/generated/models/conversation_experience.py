from enum import StrEnum


class ConversationExperience(StrEnum):
    CHAT = "chat"
    VOICE = "voice"

    def __str__(self) -> str:
        return str(self.value)
