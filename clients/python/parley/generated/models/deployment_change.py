from __future__ import annotations

from collections.abc import Mapping
from typing import Any, TypeVar

from attrs import define as _attrs_define
from attrs import field as _attrs_field

from ..models.deployment_change_what import DeploymentChangeWhat

T = TypeVar("T", bound="DeploymentChange")


@_attrs_define
class DeploymentChange:
    """
    Attributes:
        from_ (str): A version, an agent, or the JSON of an override; empty: it was not there.
        name (str): Of the agent or workflow; of settings the version.
        to (str): Empty: it is not there any more.
        what (DeploymentChangeWhat):
    """

    from_: str
    name: str
    to: str
    what: DeploymentChangeWhat
    additional_properties: dict[str, Any] = _attrs_field(init=False, factory=dict)

    def to_dict(self) -> dict[str, Any]:
        from_ = self.from_

        name = self.name

        to = self.to

        what = self.what.value

        field_dict: dict[str, Any] = {}
        field_dict.update(self.additional_properties)
        field_dict.update(
            {
                "from": from_,
                "name": name,
                "to": to,
                "what": what,
            }
        )

        return field_dict

    @classmethod
    def from_dict(cls: type[T], src_dict: Mapping[str, Any]) -> T:
        d = dict(src_dict)
        from_ = d.pop("from")

        name = d.pop("name")

        to = d.pop("to")

        what = DeploymentChangeWhat(d.pop("what"))

        deployment_change = cls(
            from_=from_,
            name=name,
            to=to,
            what=what,
        )

        deployment_change.additional_properties = d
        return deployment_change

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
