from enum import StrEnum


class ConversationParticipantEnteredBy(StrEnum):
    COLD = "cold"
    NA = "na"
    REDIAL = "redial"
    WARM = "warm"

    def __str__(self) -> str:
        return str(self.value)
