from enum import StrEnum


class CampaignRequestCampaignType(StrEnum):
    SMS = "sms"
    VOICE = "voice"

    def __str__(self) -> str:
        return str(self.value)
