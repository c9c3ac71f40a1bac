from __future__ import annotations

from collections.abc import Mapping
from typing import Any, TypeVar

from attrs import define as _attrs_define
from attrs import field as _attrs_field

T = TypeVar("T", bound="Difference")


@_attrs_define
class Difference:
    """
    Attributes:
        changed (bool):
        from_ (str): The other text: a version, working, or empty for nothing.
        to (str): The version of the path.
        unified (str): Lines of a unified diff; empty where nothing differs.
    """

    changed: bool
    from_: str
    to: str
    unified: str
    additional_properties: dict[str, Any] = _attrs_field(init=False, factory=dict)

    def to_dict(self) -> dict[str, Any]:
        changed = self.changed

        from_ = self.from_

        to = self.to

        unified = self.unified

        field_dict: dict[str, Any] = {}
        field_dict.update(self.additional_properties)
        field_dict.update(
            {
                "changed": changed,
                "from": from_,
                "to": to,
                "unified": unified,
            }
        )

        return field_dict

    @classmethod
    def from_dict(cls: type[T], src_dict: Mapping[str, Any]) -> T:
        d = dict(src_dict)
        changed = d.pop("changed")

        from_ = d.pop("from")

        to = d.pop("to")

        unified = d.pop("unified")

        difference = cls(
            changed=changed,
            from_=from_,
            to=to,
            unified=unified,
        )

        difference.additional_properties = d
        return difference

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
