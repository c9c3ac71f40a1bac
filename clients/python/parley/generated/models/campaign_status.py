from enum import StrEnum


class CampaignStatus(StrEnum):
    ACTIVE = "Active"
    COMPLETED = "Completed"
    PAUSED = "Paused"
    READY = "Ready"

    def __str__(self) -> str:
        return str(self.value)
