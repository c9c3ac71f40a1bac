from enum import StrEnum


class VoicemailComponentCT(StrEnum):
    TEXT = "text"

    def __str__(self) -> str:
        return str(self.value)
