from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, TypeVar

from attrs import define as _attrs_define
from attrs import field as _attrs_field

from ..models.campaign_verdict_verdict import CampaignVerdictVerdict

if TYPE_CHECKING:
    from ..models.campaign_verdict_next import CampaignVerdictNext


T = TypeVar("T", bound="CampaignVerdict")


@_attrs_define
class CampaignVerdict:
    """
    Attributes:
        calls (int): With this verdict.
        contradicted (int): What was heard next speaks against it: a person who says what only mailboxes say, a machine
            that speaks again behind its greeting or presses keys, somebody who spoke after all.
        next_ (CampaignVerdictNext):
        verdict (CampaignVerdictVerdict):
    """

    calls: int
    contradicted: int
    next_: CampaignVerdictNext
    verdict: CampaignVerdictVerdict
    additional_properties: dict[str, Any] = _attrs_field(init=False, factory=dict)

    def to_dict(self) -> dict[str, Any]:
        calls = self.calls

        contradicted = self.contradicted

        next_ = self.next_.to_dict()

        verdict = self.verdict.value

        field_dict: dict[str, Any] = {}
        field_dict.update(self.additional_properties)
        field_dict.update(
            {
                "calls": calls,
                "contradicted": contradicted,
                "next": next_,
                "verdict": verdict,
            }
        )

        return field_dict

    @classmethod
    def from_dict(cls: type[T], src_dict: Mapping[str, Any]) -> T:
        from ..models.campaign_verdict_next import CampaignVerdictNext  # noqa: PLC0415

        d = dict(src_dict)
        calls = d.pop("calls")

        contradicted = d.pop("contradicted")

        next_ = CampaignVerdictNext.from_dict(d.pop("next"))

        verdict = CampaignVerdictVerdict(d.pop("verdict"))

        campaign_verdict = cls(
            calls=calls,
            contradicted=contradicted,
            next_=next_,
            verdict=verdict,
        )

        campaign_verdict.additional_properties = d
        return campaign_verdict

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
