from enum import StrEnum


class UpdateSmsCampaignCampaignType(StrEnum):
    SMS = "sms"

    def __str__(self) -> str:
        return str(self.value)
