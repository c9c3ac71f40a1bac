from enum import StrEnum


class CampaignRunCampaignType(StrEnum):
    SMS = "sms"
    VOICE = "voice"

    def __str__(self) -> str:
        return str(self.value)
