from __future__ import annotations

from collections.abc import Mapping
from typing import Any, TypeVar

from attrs import define as _attrs_define
from attrs import field as _attrs_field

from ..models.promote_request_target_environment import PromoteRequestTargetEnvironment
from ..types import UNSET, Unset

T = TypeVar("T", bound="PromoteRequest")


@_attrs_define
class PromoteRequest:
    """
    Attributes:
        label (str | Unset):
        skip_tests (bool | Unset): Promotes without running the TESTS of the agents; stands on the event.
        target_environment (PromoteRequestTargetEnvironment | Unset): The next one unless said.
    """

    label: str | Unset = UNSET
    skip_tests: bool | Unset = UNSET
    target_environment: PromoteRequestTargetEnvironment | Unset = UNSET
    additional_properties: dict[str, Any] = _attrs_field(init=False, factory=dict)

    def to_dict(self) -> dict[str, Any]:
        label = self.label

        skip_tests = self.skip_tests

        target_environment: str | Unset = UNSET
        if not isinstance(self.target_environment, Unset):
            target_environment = self.target_environment.value

        field_dict: dict[str, Any] = {}
        field_dict.update(self.additional_properties)
        field_dict.update({})
        if label is not UNSET:
            field_dict["label"] = label
        if skip_tests is not UNSET:
            field_dict["skipTests"] = skip_tests
        if target_environment is not UNSET:
            field_dict["targetEnvironment"] = target_environment

        return field_dict

    @classmethod
    def from_dict(cls: type[T], src_dict: Mapping[str, Any]) -> T:
        d = dict(src_dict)
        label = d.pop("label", UNSET)

        skip_tests = d.pop("skipTests", UNSET)

        _target_environment = d.pop("targetEnvironment", UNSET)
        target_environment: PromoteRequestTargetEnvironment | Unset
        if isinstance(_target_environment, Unset):
            target_environment = UNSET
        else:
            target_environment = PromoteRequestTargetEnvironment(_target_environment)

        promote_request = cls(
            label=label,
            skip_tests=skip_tests,
            target_environment=target_environment,
        )

        promote_request.additional_properties = d
        return promote_request

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
