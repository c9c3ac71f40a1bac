from enum import StrEnum


class AssignConversationRequestTransferredType(StrEnum):
    QUEUE = "QUEUE"

    def __str__(self) -> str:
        return str(self.value)
