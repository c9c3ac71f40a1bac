from enum import StrEnum


class RespondingAgentStatus(StrEnum):
    ANSWERED = "Answered"

    def __str__(self) -> str:
        return str(self.value)
