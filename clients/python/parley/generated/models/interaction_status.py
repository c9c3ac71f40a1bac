from enum import StrEnum


class InteractionStatus(StrEnum):
    COMPLETED = "completed"
    DIALING = "dialing"
    FAILED = "failed"
    INPROGRESS = "inProgress"
    MACHINEDETECTED = "machineDetected"
    RINGING = "ringing"

    def __str__(self) -> str:
        return str(self.value)
