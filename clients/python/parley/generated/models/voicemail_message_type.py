from enum import StrEnum


class VoicemailMessageType(StrEnum):
    INCOMING = "incoming"

    def __str__(self) -> str:
        return str(self.value)
