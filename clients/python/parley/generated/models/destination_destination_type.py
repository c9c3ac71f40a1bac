from enum import StrEnum


class DestinationDestinationType(StrEnum):
    AGENTENTRY = "AgentEntry"
    QUEUEENTRY = "QueueEntry"

    def __str__(self) -> str:
        return str(self.value)
