from enum import StrEnum


class RespondingAgentDestinationType(StrEnum):
    AGENTSEGMENT = "AgentSegment"

    def __str__(self) -> str:
        return str(self.value)
