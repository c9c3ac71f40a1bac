from enum import StrEnum


class CampaignCampaignType(StrEnum):
    SMS = "sms"
    VOICE = "voice"

    def __str__(self) -> str:
        return str(self.value)
