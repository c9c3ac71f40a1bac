from enum import StrEnum


class TransferStatus(StrEnum):
    ASSIGNED = "assigned"
    ENDED = "ended"
    FAILED = "failed"
    QUEUED = "queued"
    REQUESTED = "requested"
    TIMEDOUT = "timedOut"

    def __str__(self) -> str:
        return str(self.value)
