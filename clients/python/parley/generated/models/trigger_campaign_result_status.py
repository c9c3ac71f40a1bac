from enum import StrEnum


class TriggerCampaignResultStatus(StrEnum):
    ACTIVE = "Active"
    PAUSED = "Paused"

    def __str__(self) -> str:
        return str(self.value)
