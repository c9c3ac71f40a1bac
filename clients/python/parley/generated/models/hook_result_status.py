from enum import StrEnum


class HookResultSTATUS(StrEnum):
    OK = "OK"

    def __str__(self) -> str:
        return str(self.value)
