from enum import StrEnum


class CampaignRunStatus(StrEnum):
    FINISHED = "finished"
    HELD = "held"
    LISTING = "listing"
    RUNNING = "running"
    STOPPED = "stopped"
    WAITING = "waiting"

    def __str__(self) -> str:
        return str(self.value)
