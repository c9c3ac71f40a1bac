from enum import StrEnum


class DialOutRequestMachineDetection(StrEnum):
    DETECT = "detect"
    DISABLED = "disabled"
    DISCONNECT = "disconnect"

    def __str__(self) -> str:
        return str(self.value)
