from enum import StrEnum


class ConversationParticipantLeftBy(StrEnum):
    COLD = "cold"
    NA = "na"
    WARM = "warm"

    def __str__(self) -> str:
        return str(self.value)
