from __future__ import annotations

from collections.abc import Mapping
from typing import Any, TypeVar

from attrs import define as _attrs_define
from attrs import field as _attrs_field

T = TypeVar("T", bound="CampaignVerdictNext")


@_attrs_define
class CampaignVerdictNext:
    """
    Attributes:
        hung_up_on (int): The call was ended because of the verdict, or before anything was heard.
        left_at_once (int): The other side ended the call within three seconds.
        mailbox (int): Something was said that only a mailbox says.
        pressed (int): Keys were pressed.
        silent (int): Nothing was heard until the end.
        spoke (int): Something else was said; by a machine: behind the end of its greeting.
        under_way (int): The call is not over, and nothing was heard yet.
        unheard (int): No agent listened, so nobody knows.
    """

    hung_up_on: int
    left_at_once: int
    mailbox: int
    pressed: int
    silent: int
    spoke: int
    under_way: int
    unheard: int
    additional_properties: dict[str, Any] = _attrs_field(init=False, factory=dict)

    def to_dict(self) -> dict[str, Any]:
        hung_up_on = self.hung_up_on

        left_at_once = self.left_at_once

        mailbox = self.mailbox

        pressed = self.pressed

        silent = self.silent

        spoke = self.spoke

        under_way = self.under_way

        unheard = self.unheard

        field_dict: dict[str, Any] = {}
        field_dict.update(self.additional_properties)
        field_dict.update(
            {
                "hungUpOn": hung_up_on,
                "leftAtOnce": left_at_once,
                "mailbox": mailbox,
                "pressed": pressed,
                "silent": silent,
                "spoke": spoke,
                "underWay": under_way,
                "unheard": unheard,
            }
        )

        return field_dict

    @classmethod
    def from_dict(cls: type[T], src_dict: Mapping[str, Any]) -> T:
        d = dict(src_dict)
        hung_up_on = d.pop("hungUpOn")

        left_at_once = d.pop("leftAtOnce")

        mailbox = d.pop("mailbox")

        pressed = d.pop("pressed")

        silent = d.pop("silent")

        spoke = d.pop("spoke")

        under_way = d.pop("underWay")

        unheard = d.pop("unheard")

        campaign_verdict_next = cls(
            hung_up_on=hung_up_on,
            left_at_once=left_at_once,
            mailbox=mailbox,
            pressed=pressed,
            silent=silent,
            spoke=spoke,
            under_way=under_way,
            unheard=unheard,
        )

        campaign_verdict_next.additional_properties = d
        return campaign_verdict_next

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
