from __future__ import annotations

import datetime
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, TypeVar

from attrs import define as _attrs_define
from attrs import field as _attrs_field

from ..models.test_run_result_status import TestRunResultStatus
from ..types import UNSET, Unset

if TYPE_CHECKING:
    from ..models.step_details import StepDetails


T = TypeVar("T", bound="TestRunResult")


@_attrs_define
class TestRunResult:
    """
    Attributes:
        start_time (datetime.datetime): When it was asked for.
        status (TestRunResultStatus):
        version (str): Of the agent: a number, or working-copy.
        duration (int | Unset): Milliseconds, once it has ended.
        step_details (StepDetails | Unset):
    """

    start_time: datetime.datetime
    status: TestRunResultStatus
    version: str
    duration: int | Unset = UNSET
    step_details: StepDetails | Unset = UNSET
    additional_properties: dict[str, Any] = _attrs_field(init=False, factory=dict)

    def to_dict(self) -> dict[str, Any]:
        start_time = self.start_time.isoformat()

        status = self.status.value

        version = self.version

        duration = self.duration

        step_details: dict[str, Any] | Unset = UNSET
        if not isinstance(self.step_details, Unset):
            step_details = self.step_details.to_dict()

        field_dict: dict[str, Any] = {}
        field_dict.update(self.additional_properties)
        field_dict.update(
            {
                "startTime": start_time,
                "status": status,
                "version": version,
            }
        )
        if duration is not UNSET:
            field_dict["duration"] = duration
        if step_details is not UNSET:
            field_dict["stepDetails"] = step_details

        return field_dict

    @classmethod
    def from_dict(cls: type[T], src_dict: Mapping[str, Any]) -> T:
        from ..models.step_details import StepDetails  # noqa: PLC0415

        d = dict(src_dict)
        start_time = datetime.datetime.fromisoformat(d.pop("startTime"))

        status = TestRunResultStatus(d.pop("status"))

        version = d.pop("version")

        duration = d.pop("duration", UNSET)

        _step_details = d.pop("stepDetails", UNSET)
        step_details: StepDetails | Unset
        if isinstance(_step_details, Unset):
            step_details = UNSET
        else:
            step_details = StepDetails.from_dict(_step_details)

        test_run_result = cls(
            start_time=start_time,
            status=status,
            version=version,
            duration=duration,
            step_details=step_details,
        )

        test_run_result.additional_properties = d
        return test_run_result

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
