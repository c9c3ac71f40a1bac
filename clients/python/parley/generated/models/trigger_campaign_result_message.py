from enum import StrEnum


class TriggerCampaignResultMessage(StrEnum):
    CAMPAIGN_PAUSED = "Campaign Paused"
    CAMPAIGN_RESUMED = "Campaign Resumed"
    CAMPAIGN_STARTED = "Campaign Started"

    def __str__(self) -> str:
        return str(self.value)
