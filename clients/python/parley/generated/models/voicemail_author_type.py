from enum import StrEnum


class VoicemailAuthorType(StrEnum):
    VOICEMAIL = "VOICEMAIL"

    def __str__(self) -> str:
        return str(self.value)
