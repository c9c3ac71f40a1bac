from enum import StrEnum


class ListInteractionsStatus(StrEnum):
    COMPLETED = "completed"
    DIALING = "dialing"
    FAILED = "failed"
    INPROGRESS = "inProgress"
    MACHINEDETECTED = "machineDetected"
    RINGING = "ringing"

    def __str__(self) -> str:
        return str(self.value)
