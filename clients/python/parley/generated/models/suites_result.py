from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, TypeVar

from attrs import define as _attrs_define
from attrs import field as _attrs_field

if TYPE_CHECKING:
    from ..models.pagination import Pagination
    from ..models.suite_shown import SuiteShown


T = TypeVar("T", bound="SuitesResult")


@_attrs_define
class SuitesResult:
    """
    Attributes:
        pagination (Pagination):
        success (bool):
        test_suites (list[SuiteShown]):
    """

    pagination: Pagination
    success: bool
    test_suites: list[SuiteShown]
    additional_properties: dict[str, Any] = _attrs_field(init=False, factory=dict)

    def to_dict(self) -> dict[str, Any]:
        pagination = self.pagination.to_dict()

        success = self.success

        test_suites = []
        for test_suites_item_data in self.test_suites:
            test_suites_item = test_suites_item_data.to_dict()
            test_suites.append(test_suites_item)

        field_dict: dict[str, Any] = {}
        field_dict.update(self.additional_properties)
        field_dict.update(
            {
                "pagination": pagination,
                "success": success,
                "testSuites": test_suites,
            }
        )

        return field_dict

    @classmethod
    def from_dict(cls: type[T], src_dict: Mapping[str, Any]) -> T:
        from ..models.pagination import Pagination  # noqa: PLC0415
        from ..models.suite_shown import SuiteShown  # noqa: PLC0415

        d = dict(src_dict)
        pagination = Pagination.from_dict(d.pop("pagination"))

        success = d.pop("success")

        test_suites = []
        _test_suites = d.pop("testSuites")
        for test_suites_item_data in _test_suites:
            test_suites_item = SuiteShown.from_dict(test_suites_item_data)

            test_suites.append(test_suites_item)

        suites_result = cls(
            pagination=pagination,
            success=success,
            test_suites=test_suites,
        )

        suites_result.additional_properties = d
        return suites_result

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
