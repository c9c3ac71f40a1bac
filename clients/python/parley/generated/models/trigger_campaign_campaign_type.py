from enum import StrEnum


class TriggerCampaignCampaignType(StrEnum):
    SMS = "sms"
    VOICE = "voice"

    def __str__(self) -> str:
        return str(self.value)
