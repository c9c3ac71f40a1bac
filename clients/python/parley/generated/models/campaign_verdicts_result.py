from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, TypeVar

from attrs import define as _attrs_define
from attrs import field as _attrs_field

from ..models.campaign_verdicts_result_status import CampaignVerdictsResultStatus

if TYPE_CHECKING:
    from ..models.campaign_verdicts import CampaignVerdicts


T = TypeVar("T", bound="CampaignVerdictsResult")


@_attrs_define
class CampaignVerdictsResult:
    """
    Attributes:
        data (CampaignVerdicts):
        message (str):
        status (CampaignVerdictsResultStatus):
    """

    data: CampaignVerdicts
    message: str
    status: CampaignVerdictsResultStatus
    additional_properties: dict[str, Any] = _attrs_field(init=False, factory=dict)

    def to_dict(self) -> dict[str, Any]:
        data = self.data.to_dict()

        message = self.message

        status = self.status.value

        field_dict: dict[str, Any] = {}
        field_dict.update(self.additional_properties)
        field_dict.update(
            {
                "data": data,
                "message": message,
                "status": status,
            }
        )

        return field_dict

    @classmethod
    def from_dict(cls: type[T], src_dict: Mapping[str, Any]) -> T:
        from ..models.campaign_verdicts import CampaignVerdicts  # noqa: PLC0415

        d = dict(src_dict)
        data = CampaignVerdicts.from_dict(d.pop("data"))

        message = d.pop("message")

        status = CampaignVerdictsResultStatus(d.pop("status"))

        campaign_verdicts_result = cls(
            data=data,
            message=message,
            status=status,
        )

        campaign_verdicts_result.additional_properties = d
        return campaign_verdicts_result

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
