from enum import StrEnum


class StaffRoleRoleType(StrEnum):
    ADMIN = "admin"
    BOT = "bot"

    def __str__(self) -> str:
        return str(self.value)
