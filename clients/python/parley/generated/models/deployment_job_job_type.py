from enum import StrEnum


class DeploymentJobJobType(StrEnum):
    TOOLS = "TOOLS"
    WORKFLOWS = "WORKFLOWS"

    def __str__(self) -> str:
        return str(self.value)
