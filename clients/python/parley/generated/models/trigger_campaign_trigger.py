from enum import StrEnum


class TriggerCampaignTrigger(StrEnum):
    PAUSE = "pause"
    PLAY = "play"
    RESUME = "resume"

    def __str__(self) -> str:
        return str(self.value)
