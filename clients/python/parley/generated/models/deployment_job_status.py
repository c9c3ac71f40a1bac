from enum import StrEnum


class DeploymentJobStatus(StrEnum):
    FAILED = "FAILED"
    IN_PROGRESS = "IN_PROGRESS"
    SUCCESS = "SUCCESS"

    def __str__(self) -> str:
        return str(self.value)
