from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, TypeVar

from attrs import define as _attrs_define
from attrs import field as _attrs_field

if TYPE_CHECKING:
    from ..models.campaign_verdict import CampaignVerdict


T = TypeVar("T", bound="CampaignVerdicts")


@_attrs_define
class CampaignVerdicts:
    """
    Attributes:
        campaign_id (str):
        verdicts (list[CampaignVerdict]):
    """

    campaign_id: str
    verdicts: list[CampaignVerdict]
    additional_properties: dict[str, Any] = _attrs_field(init=False, factory=dict)

    def to_dict(self) -> dict[str, Any]:
        campaign_id = self.campaign_id

        verdicts = []
        for verdicts_item_data in self.verdicts:
            verdicts_item = verdicts_item_data.to_dict()
            verdicts.append(verdicts_item)

        field_dict: dict[str, Any] = {}
        field_dict.update(self.additional_properties)
        field_dict.update(
            {
                "campaignId": campaign_id,
                "verdicts": verdicts,
            }
        )

        return field_dict

    @classmethod
    def from_dict(cls: type[T], src_dict: Mapping[str, Any]) -> T:
        from ..models.campaign_verdict import CampaignVerdict  # noqa: PLC0415

        d = dict(src_dict)
        campaign_id = d.pop("campaignId")

        verdicts = []
        _verdicts = d.pop("verdicts")
        for verdicts_item_data in _verdicts:
            verdicts_item = CampaignVerdict.from_dict(verdicts_item_data)

            verdicts.append(verdicts_item)

        campaign_verdicts = cls(
            campaign_id=campaign_id,
            verdicts=verdicts,
        )

        campaign_verdicts.additional_properties = d
        return campaign_verdicts

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
