from enum import StrEnum


class TransferNotificationStatus(StrEnum):
    FAILED = "failed"
    TRANSFERRED = "transferred"

    def __str__(self) -> str:
        return str(self.value)
