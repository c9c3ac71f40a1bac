from enum import StrEnum


class HumanAgentOnlineStatusType(StrEnum):
    AVAILABLE = "AVAILABLE"
    AWAY = "AWAY"
    BUSY = "BUSY"
    OFFLINE = "OFFLINE"

    def __str__(self) -> str:
        return str(self.value)
