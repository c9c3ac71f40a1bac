from enum import StrEnum


class ConversationMessageExperience(StrEnum):
    CHAT = "chat"
    VOICE = "voice"

    def __str__(self) -> str:
        return str(self.value)
