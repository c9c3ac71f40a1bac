from __future__ import annotations

import datetime
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, TypeVar

from attrs import define as _attrs_define
from attrs import field as _attrs_field

from ..models.session_detail_status import SessionDetailStatus
from ..types import UNSET, Unset

if TYPE_CHECKING:
    from ..models.chat_state import ChatState
    from ..models.session_detail_versions import SessionDetailVersions
    from ..models.suspension import Suspension
    from ..models.with_people import WithPeople


T = TypeVar("T", bound="SessionDetail")


@_attrs_define
class SessionDetail:
    """
    Attributes:
        agent_id (str): Of the agent that it began with; empty where there is none of that name any more.
        agent_name (str):
        channel (str):
        created_at (datetime.datetime):
        duration_ms (int): To the end, or to the last activity.
        error_count (int): Calls of tools and of models that failed, and turns that did.
        estimated_cost (float): Of models, in US dollars.
        handoff_count (int):
        id (str):
        last_activity_at (datetime.datetime):
        message_count (int): Of both sides.
        runtime_session_id (str): The same.
        state (ChatState):
        status (SessionDetailStatus):
        test (bool): Begun with a testContext: in no report.
        token_count (int): Of models: in and out.
        trace_event_count (int):
        versions (SessionDetailVersions): Of each agent, working-copy where it is none.
        contact_id (str | Unset):
        deployment_id (str | Unset):
        end_reason (str | Unset):
        ended_at (datetime.datetime | Unset):
        environment (str | Unset):
        language (str | Unset):
        people (WithPeople | Unset):
        suspension (Suspension | Unset):
    """

    agent_id: str
    agent_name: str
    channel: str
    created_at: datetime.datetime
    duration_ms: int
    error_count: int
    estimated_cost: float
    handoff_count: int
    id: str
    last_activity_at: datetime.datetime
    message_count: int
    runtime_session_id: str
    state: ChatState
    status: SessionDetailStatus
    test: bool
    token_count: int
    trace_event_count: int
    versions: SessionDetailVersions
    contact_id: str | Unset = UNSET
    deployment_id: str | Unset = UNSET
    end_reason: str | Unset = UNSET
    ended_at: datetime.datetime | Unset = UNSET
    environment: str | Unset = UNSET
    language: str | Unset = UNSET
    people: WithPeople | Unset = UNSET
    suspension: Suspension | Unset = UNSET
    additional_properties: dict[str, Any] = _attrs_field(init=False, factory=dict)

    def to_dict(self) -> dict[str, Any]:
        agent_id = self.agent_id

        agent_name = self.agent_name

        channel = self.channel

        created_at = self.created_at.isoformat()

        duration_ms = self.duration_ms

        error_count = self.error_count

        estimated_cost = self.estimated_cost

        handoff_count = self.handoff_count

        id = self.id

        last_activity_at = self.last_activity_at.isoformat()

        message_count = self.message_count

        runtime_session_id = self.runtime_session_id

        state = self.state.to_dict()

        status = self.status.value

        test = self.test

        token_count = self.token_count

        trace_event_count = self.trace_event_count

        versions = self.versions.to_dict()

        contact_id = self.contact_id

        deployment_id = self.deployment_id

        end_reason = self.end_reason

        ended_at: str | Unset = UNSET
        if not isinstance(self.ended_at, Unset):
            ended_at = self.ended_at.isoformat()

        environment = self.environment

        language = self.language

        people: dict[str, Any] | Unset = UNSET
        if not isinstance(self.people, Unset):
            people = self.people.to_dict()

        suspension: dict[str, Any] | Unset = UNSET
        if not isinstance(self.suspension, Unset):
            suspension = self.suspension.to_dict()

        field_dict: dict[str, Any] = {}
        field_dict.update(self.additional_properties)
        field_dict.update(
            {
                "agentId": agent_id,
                "agentName": agent_name,
                "channel": channel,
                "createdAt": created_at,
                "durationMs": duration_ms,
                "errorCount": error_count,
                "estimatedCost": estimated_cost,
                "handoffCount": handoff_count,
                "id": id,
                "lastActivityAt": last_activity_at,
                "messageCount": message_count,
                "runtimeSessionId": runtime_session_id,
                "state": state,
                "status": status,
                "test": test,
                "tokenCount": token_count,
                "traceEventCount": trace_event_count,
                "versions": versions,
            }
        )
        if contact_id is not UNSET:
            field_dict["contactId"] = contact_id
        if deployment_id is not UNSET:
            field_dict["deploymentId"] = deployment_id
        if end_reason is not UNSET:
            field_dict["endReason"] = end_reason
        if ended_at is not UNSET:
            field_dict["endedAt"] = ended_at
        if environment is not UNSET:
            field_dict["environment"] = environment
        if language is not UNSET:
            field_dict["language"] = language
        if people is not UNSET:
            field_dict["people"] = people
        if suspension is not UNSET:
            field_dict["suspension"] = suspension

        return field_dict

    @classmethod
    def from_dict(cls: type[T], src_dict: Mapping[str, Any]) -> T:
        from ..models.chat_state import ChatState  # noqa: PLC0415
        from ..models.session_detail_versions import (
            SessionDetailVersions,  # noqa: PLC0415
        )
        from ..models.suspension import Suspension  # noqa: PLC0415
        from ..models.with_people import WithPeople  # noqa: PLC0415

        d = dict(src_dict)
        agent_id = d.pop("agentId")

        agent_name = d.pop("agentName")

        channel = d.pop("channel")

        created_at = datetime.datetime.fromisoformat(d.pop("createdAt"))

        duration_ms = d.pop("durationMs")

        error_count = d.pop("errorCount")

        estimated_cost = d.pop("estimatedCost")

        handoff_count = d.pop("handoffCount")

        id = d.pop("id")

        last_activity_at = datetime.datetime.fromisoformat(d.pop("lastActivityAt"))

        message_count = d.pop("messageCount")

        runtime_session_id = d.pop("runtimeSessionId")

        state = ChatState.from_dict(d.pop("state"))

        status = SessionDetailStatus(d.pop("status"))

        test = d.pop("test")

        token_count = d.pop("tokenCount")

        trace_event_count = d.pop("traceEventCount")

        versions = SessionDetailVersions.from_dict(d.pop("versions"))

        contact_id = d.pop("contactId", UNSET)

        deployment_id = d.pop("deploymentId", UNSET)

        end_reason = d.pop("endReason", UNSET)

        _ended_at = d.pop("endedAt", UNSET)
        ended_at: datetime.datetime | Unset
        if isinstance(_ended_at, Unset):
            ended_at = UNSET
        else:
            ended_at = datetime.datetime.fromisoformat(_ended_at)

        environment = d.pop("environment", UNSET)

        language = d.pop("language", UNSET)

        _people = d.pop("people", UNSET)
        people: WithPeople | Unset
        if isinstance(_people, Unset):
            people = UNSET
        else:
            people = WithPeople.from_dict(_people)

        _suspension = d.pop("suspension", UNSET)
        suspension: Suspension | Unset
        if isinstance(_suspension, Unset):
            suspension = UNSET
        else:
            suspension = Suspension.from_dict(_suspension)

        session_detail = cls(
            agent_id=agent_id,
            agent_name=agent_name,
            channel=channel,
            created_at=created_at,
            duration_ms=duration_ms,
            error_count=error_count,
            estimated_cost=estimated_cost,
            handoff_count=handoff_count,
            id=id,
            last_activity_at=last_activity_at,
            message_count=message_count,
            runtime_session_id=runtime_session_id,
            state=state,
            status=status,
            test=test,
            token_count=token_count,
            trace_event_count=trace_event_count,
            versions=versions,
            contact_id=contact_id,
            deployment_id=deployment_id,
            end_reason=end_reason,
            ended_at=ended_at,
            environment=environment,
            language=language,
            people=people,
            suspension=suspension,
        )

        session_detail.additional_properties = d
        return session_detail

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
