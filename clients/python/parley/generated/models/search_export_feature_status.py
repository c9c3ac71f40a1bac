from enum import StrEnum


class SearchExportFeatureStatus(StrEnum):
    SUCCESS = "success"

    def __str__(self) -> str:
        return str(self.value)
