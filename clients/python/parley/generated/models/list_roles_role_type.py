from enum import StrEnum


class ListRolesRoleType(StrEnum):
    ADMIN = "admin"
    BOT = "bot"

    def __str__(self) -> str:
        return str(self.value)
