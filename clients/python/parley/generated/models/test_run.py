from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, TypeVar

from attrs import define as _attrs_define
from attrs import field as _attrs_field

from ..models.test_run_status import TestRunStatus
from ..types import UNSET, Unset

if TYPE_CHECKING:
    from ..models.failure import Failure
    from ..models.test_run_result import TestRunResult


T = TypeVar("T", bound="TestRun")


@_attrs_define
class TestRun:
    """
    Attributes:
        field_id (str):
        agent_name (str): That cases begin with (extension).
        failures (list[Failure]): What did not pass so far, in the order of the suite; at most 500 (extension).
        percentage_completed (int):
        result (TestRunResult):
        status (TestRunStatus):
        stream_id (str): The project's id.
        test_suite_id (str): Of agent:NAME the agent's id.
        test_suite_name (str): (Extension)
        total_test_steps_count (int): Turns that are judged, of all cases.
        deployment_id (str | Unset): Absent: working copies (extension).
        environment (str | Unset): (Extension)
        language (str | Unset): (Extension)
        reason (str | Unset): Of an error: why (extension).
    """

    field_id: str
    agent_name: str
    failures: list[Failure]
    percentage_completed: int
    result: TestRunResult
    status: TestRunStatus
    stream_id: str
    test_suite_id: str
    test_suite_name: str
    total_test_steps_count: int
    deployment_id: str | Unset = UNSET
    environment: str | Unset = UNSET
    language: str | Unset = UNSET
    reason: str | Unset = UNSET
    additional_properties: dict[str, Any] = _attrs_field(init=False, factory=dict)

    def to_dict(self) -> dict[str, Any]:
        field_id = self.field_id

        agent_name = self.agent_name

        failures = []
        for failures_item_data in self.failures:
            failures_item = failures_item_data.to_dict()
            failures.append(failures_item)

        percentage_completed = self.percentage_completed

        result = self.result.to_dict()

        status = self.status.value

        stream_id = self.stream_id

        test_suite_id = self.test_suite_id

        test_suite_name = self.test_suite_name

        total_test_steps_count = self.total_test_steps_count

        deployment_id = self.deployment_id

        environment = self.environment

        language = self.language

        reason = self.reason

        field_dict: dict[str, Any] = {}
        field_dict.update(self.additional_properties)
        field_dict.update(
            {
                "_id": field_id,
                "agentName": agent_name,
                "failures": failures,
                "percentageCompleted": percentage_completed,
                "result": result,
                "status": status,
                "streamId": stream_id,
                "testSuiteId": test_suite_id,
                "testSuiteName": test_suite_name,
                "totalTestStepsCount": total_test_steps_count,
            }
        )
        if deployment_id is not UNSET:
            field_dict["deploymentId"] = deployment_id
        if environment is not UNSET:
            field_dict["environment"] = environment
        if language is not UNSET:
            field_dict["language"] = language
        if reason is not UNSET:
            field_dict["reason"] = reason

        return field_dict

    @classmethod
    def from_dict(cls: type[T], src_dict: Mapping[str, Any]) -> T:
        from ..models.failure import Failure  # noqa: PLC0415
        from ..models.test_run_result import TestRunResult  # noqa: PLC0415

        d = dict(src_dict)
        field_id = d.pop("_id")

        agent_name = d.pop("agentName")

        failures = []
        _failures = d.pop("failures")
        for failures_item_data in _failures:
            failures_item = Failure.from_dict(failures_item_data)

            failures.append(failures_item)

        percentage_completed = d.pop("percentageCompleted")

        result = TestRunResult.from_dict(d.pop("result"))

        status = TestRunStatus(d.pop("status"))

        stream_id = d.pop("streamId")

        test_suite_id = d.pop("testSuiteId")

        test_suite_name = d.pop("testSuiteName")

        total_test_steps_count = d.pop("totalTestStepsCount")

        deployment_id = d.pop("deploymentId", UNSET)

        environment = d.pop("environment", UNSET)

        language = d.pop("language", UNSET)

        reason = d.pop("reason", UNSET)

        test_run = cls(
            field_id=field_id,
            agent_name=agent_name,
            failures=failures,
            percentage_completed=percentage_completed,
            result=result,
            status=status,
            stream_id=stream_id,
            test_suite_id=test_suite_id,
            test_suite_name=test_suite_name,
            total_test_steps_count=total_test_steps_count,
            deployment_id=deployment_id,
            environment=environment,
            language=language,
            reason=reason,
        )

        test_run.additional_properties = d
        return test_run

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
