from enum import StrEnum


class RevokedKeyStatus(StrEnum):
    REVOKED = "revoked"

    def __str__(self) -> str:
        return str(self.value)
