from enum import StrEnum


class AnalyticsMetricsCategory(StrEnum):
    AGENT = "agent"
    AUDIT = "audit"
    CHANNEL = "channel"
    DEPLOYMENT = "deployment"
    EVALUATION = "evaluation"
    FEEDBACK = "feedback"
    FLOW = "flow"
    GATHER = "gather"
    LLM = "llm"
    MESSAGE = "message"
    SEARCH = "search"
    SESSION = "session"
    SYSTEM = "system"
    TOOL = "tool"
    VOICE = "voice"

    def __str__(self) -> str:
        return str(self.value)
