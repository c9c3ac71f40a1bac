from enum import StrEnum


class SearchExportJobStatus(StrEnum):
    FAILED = "FAILED"
    INPROGRESS = "INPROGRESS"
    QUEUED = "QUEUED"
    SUCCESS = "SUCCESS"

    def __str__(self) -> str:
        return str(self.value)
