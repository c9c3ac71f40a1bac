from enum import StrEnum
from typing import Self


class FindingKind(StrEnum):
    BUDGET = "budget"
    CONDITION_ERROR = "condition_error"
    CONSTRAINT = "constraint"
    DELEGATE_FAILED = "delegate_failed"
    GUARDRAIL = "guardrail"
    HISTORY_TRIMMED = "history_trimmed"
    LIMIT = "limit"
    LOOP = "loop"
    REPEATED_FAILURE = "repeated_failure"
    REPEATED_RETRY = "repeated_retry"
    SLOW_STEP = "slow_step"
    TURN_FAILED = "turn_failed"
    UNANSWERED = "unanswered"
    UNKNOWN_OUTCOME = "unknown_outcome"

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
