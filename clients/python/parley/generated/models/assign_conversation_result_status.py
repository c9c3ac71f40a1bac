from enum import StrEnum


class AssignConversationResultStatus(StrEnum):
    FAILED = "failed"
    TRANSFERRED = "transferred"

    def __str__(self) -> str:
        return str(self.value)
