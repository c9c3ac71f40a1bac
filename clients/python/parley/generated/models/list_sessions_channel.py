from enum import StrEnum
from typing import Self


class ListSessionsChannel(StrEnum):
    A2A = "a2a"
    AG_UI = "ag_ui"
    API = "api"
    ASSIST = "assist"
    AUDIOCODES = "audiocodes"
    EMAIL = "email"
    GENESYS = "genesys"
    HTTP = "http"
    HTTP_ASYNC = "http_async"
    INSTAGRAM = "instagram"
    JAMBONZ = "jambonz"
    LINE = "line"
    LIVEKIT = "livekit"
    MESSENGER = "messenger"
    MOBILE = "mobile"
    MSTEAMS = "msteams"
    RTC = "rtc"
    SDK = "sdk"
    SIP = "sip"
    SLACK = "slack"
    SMS = "sms"
    TELEGRAM = "telegram"
    TWILIO_SMS = "twilio_sms"
    TWILIO_VOICE = "twilio_voice"
    VOICE = "voice"
    VOICE_GATEWAY = "voice_gateway"
    VOICE_PIPELINE = "voice_pipeline"
    VXML = "vxml"
    WEB = "web"
    WEB_CHAT = "web_chat"
    WEB_DEBUG = "web_debug"
    WHATSAPP = "whatsapp"
    ZENDESK = "zendesk"

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
