from enum import StrEnum


class VoicemailMessageStatus(StrEnum):
    RECEIVED = "received"

    def __str__(self) -> str:
        return str(self.value)
