from enum import StrEnum


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
