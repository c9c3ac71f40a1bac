from enum import StrEnum
from typing import Self


class ConnectionErrorAbout(StrEnum):
    ANSWERING = "answering"
    SENDING = "sending"
    WEBHOOK = "webhook"

    def __str__(self) -> str:
        return str(self.value)

    @classmethod
    def _missing_(cls, value: object) -> Self | None:
        """A value that a newer server has is itself, and equal to its text; it is no member of the class."""
        if not isinstance(value, str):
            return None
        unknown = str.__new__(cls, value)
        unknown._name_, unknown._value_ = "UNKNOWN", value
        return unknown
