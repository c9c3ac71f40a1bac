from enum import StrEnum


class TranscribeAgainResultTranscriptionStatus(StrEnum):
    PENDING = "pending"

    def __str__(self) -> str:
        return str(self.value)
