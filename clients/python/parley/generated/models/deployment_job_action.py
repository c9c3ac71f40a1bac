from enum import StrEnum


class DeploymentJobAction(StrEnum):
    DEPLOY = "DEPLOY"

    def __str__(self) -> str:
        return str(self.value)
