from __future__ import annotations

import datetime
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, TypeVar
from uuid import UUID

from attrs import define as _attrs_define
from attrs import field as _attrs_field

if TYPE_CHECKING:
    from ..models.audit_event_data import AuditEventData
    from ..models.event_position import EventPosition


T = TypeVar("T", bound="AuditEvent")


@_attrs_define
class AuditEvent:
    """
    Attributes:
        actor (str): Who caused it: user:<sub>@<client>, key:<key id>, reactor:<name>, timer:<name>.
        causation_id (str): The event or request that this one came of.
        correlation_id (str): The X-Request-Id of the request that it all began with.
        data (AuditEventData): As it stands on the log, in the version that type names; secrets are sealed. What is
            personal is [sealed] without the permission personal:read, and [erased] when it was.
        id (UUID): ce_id on the log.
        position (EventPosition):
        stream (str): The aggregate that changed.
        tenant_id (str):
        time (datetime.datetime): When it was decided: the clock of the node that did. The order of a stream is its
            versions, not its times.
        type_ (str):
        version (int): Position in its stream, from 1.
    """

    actor: str
    causation_id: str
    correlation_id: str
    data: AuditEventData
    id: UUID
    position: EventPosition
    stream: str
    tenant_id: str
    time: datetime.datetime
    type_: str
    version: int
    additional_properties: dict[str, Any] = _attrs_field(init=False, factory=dict)

    def to_dict(self) -> dict[str, Any]:
        actor = self.actor

        causation_id = self.causation_id

        correlation_id = self.correlation_id

        data = self.data.to_dict()

        id = str(self.id)

        position = self.position.to_dict()

        stream = self.stream

        tenant_id = self.tenant_id

        time = self.time.isoformat()

        type_ = self.type_

        version = self.version

        field_dict: dict[str, Any] = {}
        field_dict.update(self.additional_properties)
        field_dict.update(
            {
                "actor": actor,
                "causationId": causation_id,
                "correlationId": correlation_id,
                "data": data,
                "id": id,
                "position": position,
                "stream": stream,
                "tenantId": tenant_id,
                "time": time,
                "type": type_,
                "version": version,
            }
        )

        return field_dict

    @classmethod
    def from_dict(cls: type[T], src_dict: Mapping[str, Any]) -> T:
        from ..models.audit_event_data import AuditEventData  # noqa: PLC0415
        from ..models.event_position import EventPosition  # noqa: PLC0415

        d = dict(src_dict)
        actor = d.pop("actor")

        causation_id = d.pop("causationId")

        correlation_id = d.pop("correlationId")

        data = AuditEventData.from_dict(d.pop("data"))

        id = UUID(d.pop("id"))

        position = EventPosition.from_dict(d.pop("position"))

        stream = d.pop("stream")

        tenant_id = d.pop("tenantId")

        time = datetime.datetime.fromisoformat(d.pop("time"))

        type_ = d.pop("type")

        version = d.pop("version")

        audit_event = cls(
            actor=actor,
            causation_id=causation_id,
            correlation_id=correlation_id,
            data=data,
            id=id,
            position=position,
            stream=stream,
            tenant_id=tenant_id,
            time=time,
            type_=type_,
            version=version,
        )

        audit_event.additional_properties = d
        return audit_event

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
