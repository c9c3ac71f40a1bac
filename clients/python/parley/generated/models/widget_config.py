from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, TypeVar

from attrs import define as _attrs_define
from attrs import field as _attrs_field

from ..models.widget_config_mode import WidgetConfigMode
from ..models.widget_config_position import WidgetConfigPosition

if TYPE_CHECKING:
    from ..models.widget_config_theme import WidgetConfigTheme


T = TypeVar("T", bound="WidgetConfig")


@_attrs_define
class WidgetConfig:
    """
    Attributes:
        chat_enabled (bool):
        mode (WidgetConfigMode):
        placeholder_text (str):
        position (WidgetConfigPosition):
        theme (WidgetConfigTheme): primaryColor, darkMode, fontFamily, borderRadius, logoUrl, and what else the channel
            has.
        voice_enabled (bool):
        welcome_message (str):
    """

    chat_enabled: bool
    mode: WidgetConfigMode
    placeholder_text: str
    position: WidgetConfigPosition
    theme: WidgetConfigTheme
    voice_enabled: bool
    welcome_message: str
    additional_properties: dict[str, Any] = _attrs_field(init=False, factory=dict)

    def to_dict(self) -> dict[str, Any]:
        chat_enabled = self.chat_enabled

        mode = self.mode.value

        placeholder_text = self.placeholder_text

        position = self.position.value

        theme = self.theme.to_dict()

        voice_enabled = self.voice_enabled

        welcome_message = self.welcome_message

        field_dict: dict[str, Any] = {}
        field_dict.update(self.additional_properties)
        field_dict.update(
            {
                "chatEnabled": chat_enabled,
                "mode": mode,
                "placeholderText": placeholder_text,
                "position": position,
                "theme": theme,
                "voiceEnabled": voice_enabled,
                "welcomeMessage": welcome_message,
            }
        )

        return field_dict

    @classmethod
    def from_dict(cls: type[T], src_dict: Mapping[str, Any]) -> T:
        from ..models.widget_config_theme import WidgetConfigTheme  # noqa: PLC0415

        d = dict(src_dict)
        chat_enabled = d.pop("chatEnabled")

        mode = WidgetConfigMode(d.pop("mode"))

        placeholder_text = d.pop("placeholderText")

        position = WidgetConfigPosition(d.pop("position"))

        theme = WidgetConfigTheme.from_dict(d.pop("theme"))

        voice_enabled = d.pop("voiceEnabled")

        welcome_message = d.pop("welcomeMessage")

        widget_config = cls(
            chat_enabled=chat_enabled,
            mode=mode,
            placeholder_text=placeholder_text,
            position=position,
            theme=theme,
            voice_enabled=voice_enabled,
            welcome_message=welcome_message,
        )

        widget_config.additional_properties = d
        return widget_config

    @property
    def additional_keys(self) -> list[str]:
        return list(self.additional_properties.keys())

    def __getitem__(self, key: str) -> Any:
        return self.additional_properties[key]

    def __setitem__(self, key: str, value: Any) -> None:
        self.additional_properties[key] = value

    def __delitem__(self, key: str) -> None:
        del self.additional_properties[key]

    def __contains__(self, key: str) -> bool:
        return key in self.additional_properties
