from enum import StrEnum


class CampaignDirection(StrEnum):
    OUTBOUND = "outbound"

    def __str__(self) -> str:
        return str(self.value)
