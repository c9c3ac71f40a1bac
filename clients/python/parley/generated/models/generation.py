from __future__ import annotations

import datetime
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, TypeVar, cast

from attrs import define as _attrs_define
from attrs import field as _attrs_field

from ..models.generation_status import GenerationStatus
from ..models.generation_type import GenerationType
from ..types import UNSET, Unset

if TYPE_CHECKING:
    from ..models.generation_usage import GenerationUsage


T = TypeVar("T", bound="Generation")


@_attrs_define
class Generation:
    """
    Attributes:
        agent_name (str): That asked; of a completion that names the session, with which the session began.
        duration_ms (int):
        estimated_cost (float | None): US dollars; null: the price is not known.
        id (str):
        model (str): As its provider calls it.
        model_id (str): Empty: no model began to answer.
        provider (str):
        session_id (str):
        status (GenerationStatus):
        streamed (bool):
        timestamp (datetime.datetime): When it ended.
        type_ (GenerationType):
        usage (GenerationUsage):
        error (str | Unset): Why no whole answer came: caller_left, provider_failed or not_kept.
        finish_reason (str | Unset):
    """

    agent_name: str
    duration_ms: int
    estimated_cost: float | None
    id: str
    model: str
    model_id: str
    provider: str
    session_id: str
    status: GenerationStatus
    streamed: bool
    timestamp: datetime.datetime
    type_: GenerationType
    usage: GenerationUsage
    error: str | Unset = UNSET
    finish_reason: str | Unset = UNSET
    additional_properties: dict[str, Any] = _attrs_field(init=False, factory=dict)

    def to_dict(self) -> dict[str, Any]:
        agent_name = self.agent_name

        duration_ms = self.duration_ms

        estimated_cost: float | None
        estimated_cost = self.estimated_cost

        id = self.id

        model = self.model

        model_id = self.model_id

        provider = self.provider

        session_id = self.session_id

        status = self.status.value

        streamed = self.streamed

        timestamp = self.timestamp.isoformat()

        type_ = self.type_.value

        usage = self.usage.to_dict()

        error = self.error

        finish_reason = self.finish_reason

        field_dict: dict[str, Any] = {}
        field_dict.update(self.additional_properties)
        field_dict.update(
            {
                "agentName": agent_name,
                "durationMs": duration_ms,
                "estimatedCost": estimated_cost,
                "id": id,
                "model": model,
                "modelId": model_id,
                "provider": provider,
                "sessionId": session_id,
                "status": status,
                "streamed": streamed,
                "timestamp": timestamp,
                "type": type_,
                "usage": usage,
            }
        )
        if error is not UNSET:
            field_dict["error"] = error
        if finish_reason is not UNSET:
            field_dict["finishReason"] = finish_reason

        return field_dict

    @classmethod
    def from_dict(cls: type[T], src_dict: Mapping[str, Any]) -> T:
        from ..models.generation_usage import GenerationUsage  # noqa: PLC0415

        d = dict(src_dict)
        agent_name = d.pop("agentName")

        duration_ms = d.pop("durationMs")

        def _parse_estimated_cost(data: object) -> float | None:
            if data is None:
                return data
            return cast(float | None, data)

        estimated_cost = _parse_estimated_cost(d.pop("estimatedCost"))

        id = d.pop("id")

        model = d.pop("model")

        model_id = d.pop("modelId")

        provider = d.pop("provider")

        session_id = d.pop("sessionId")

        status = GenerationStatus(d.pop("status"))

        streamed = d.pop("streamed")

        timestamp = datetime.datetime.fromisoformat(d.pop("timestamp"))

        type_ = GenerationType(d.pop("type"))

        usage = GenerationUsage.from_dict(d.pop("usage"))

        error = d.pop("error", UNSET)

        finish_reason = d.pop("finishReason", UNSET)

        generation = cls(
            agent_name=agent_name,
            duration_ms=duration_ms,
            estimated_cost=estimated_cost,
            id=id,
            model=model,
            model_id=model_id,
            provider=provider,
            session_id=session_id,
            status=status,
            streamed=streamed,
            timestamp=timestamp,
            type_=type_,
            usage=usage,
            error=error,
            finish_reason=finish_reason,
        )

        generation.additional_properties = d
        return generation

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
