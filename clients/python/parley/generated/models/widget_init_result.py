from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, TypeVar

from attrs import define as _attrs_define
from attrs import field as _attrs_field

if TYPE_CHECKING:
    from ..models.widget_config import WidgetConfig


T = TypeVar("T", bound="WidgetInitResult")


@_attrs_define
class WidgetInitResult:
    """
    Attributes:
        config (WidgetConfig):
        expires_in (int): Seconds.
        session_id (str):
        success (bool):
        token (str):
    """

    config: WidgetConfig
    expires_in: int
    session_id: str
    success: bool
    token: str
    additional_properties: dict[str, Any] = _attrs_field(init=False, factory=dict)

    def to_dict(self) -> dict[str, Any]:
        config = self.config.to_dict()

        expires_in = self.expires_in

        session_id = self.session_id

        success = self.success

        token = self.token

        field_dict: dict[str, Any] = {}
        field_dict.update(self.additional_properties)
        field_dict.update(
            {
                "config": config,
                "expiresIn": expires_in,
                "sessionId": session_id,
                "success": success,
                "token": token,
            }
        )

        return field_dict

    @classmethod
    def from_dict(cls: type[T], src_dict: Mapping[str, Any]) -> T:
        from ..models.widget_config import WidgetConfig  # noqa: PLC0415

        d = dict(src_dict)
        config = WidgetConfig.from_dict(d.pop("config"))

        expires_in = d.pop("expiresIn")

        session_id = d.pop("sessionId")

        success = d.pop("success")

        token = d.pop("token")

        widget_init_result = cls(
            config=config,
            expires_in=expires_in,
            session_id=session_id,
            success=success,
            token=token,
        )

        widget_init_result.additional_properties = d
        return widget_init_result

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
