from enum import StrEnum
from typing import Self


class CallInProgressNotificationMachineDetection(StrEnum):
    AMD_DECISION_TIMEOUT = "amd_decision_timeout"
    AMD_ERROR = "amd_error"
    AMD_HUMAN_DETECTED = "amd_human_detected"
    AMD_MACHINE_DETECTED = "amd_machine_detected"
    AMD_MACHINE_STOPPED_SPEAKING = "amd_machine_stopped_speaking"
    AMD_NO_SPEECH_DETECTED = "amd_no_speech_detected"
    AMD_STOPPED = "amd_stopped"
    AMD_TONE_DETECTED = "amd_tone_detected"

    def __str__(self) -> str:
        return str(self.value)

    @classmethod
    def _missing_(cls, value: object) -> Self | None:
        """A value that a newer server has is itself, and equal to its text; it is no member of the class."""
        if not isinstance(value, str):
            return None
        unknown = str.__new__(cls, value)
        unknown._name_, unknown._value_ = "UNKNOWN", value
        return unknown
