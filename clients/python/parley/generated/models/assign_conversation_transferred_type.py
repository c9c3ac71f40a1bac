from enum import StrEnum


class AssignConversationTransferredType(StrEnum):
    QUEUE = "QUEUE"

    def __str__(self) -> str:
        return str(self.value)
