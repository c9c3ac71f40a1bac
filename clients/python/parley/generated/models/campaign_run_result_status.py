from enum import StrEnum


class CampaignRunResultStatus(StrEnum):
    SUCCESS = "success"

    def __str__(self) -> str:
        return str(self.value)
