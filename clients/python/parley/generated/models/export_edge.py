from __future__ import annotations

from collections.abc import Mapping
from typing import Any, TypeVar

from attrs import define as _attrs_define
from attrs import field as _attrs_field

from ..models.export_edge_type import ExportEdgeType

T = TypeVar("T", bound="ExportEdge")


@_attrs_define
class ExportEdge:
    """
    Attributes:
        from_ (str): Name of the agent.
        to (str): Name of the agent or tool; of a tool that does not exist, the id that the source has.
        type_ (ExportEdgeType):
    """

    from_: str
    to: str
    type_: ExportEdgeType
    additional_properties: dict[str, Any] = _attrs_field(init=False, factory=dict)

    def to_dict(self) -> dict[str, Any]:
        from_ = self.from_

        to = self.to

        type_ = self.type_.value

        field_dict: dict[str, Any] = {}
        field_dict.update(self.additional_properties)
        field_dict.update(
            {
                "from": from_,
                "to": to,
                "type": type_,
            }
        )

        return field_dict

    @classmethod
    def from_dict(cls: type[T], src_dict: Mapping[str, Any]) -> T:
        d = dict(src_dict)
        from_ = d.pop("from")

        to = d.pop("to")

        type_ = ExportEdgeType(d.pop("type"))

        export_edge = cls(
            from_=from_,
            to=to,
            type_=type_,
        )

        export_edge.additional_properties = d
        return export_edge

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
