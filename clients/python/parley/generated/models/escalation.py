from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, TypeVar

from attrs import define as _attrs_define
from attrs import field as _attrs_field

from ..models.escalation_priority import EscalationPriority
from ..types import UNSET, Unset

if TYPE_CHECKING:
    from ..models.escalation_context import EscalationContext


T = TypeVar("T", bound="Escalation")


@_attrs_define
class Escalation:
    """
    Attributes:
        agent_name (str):
        context (EscalationContext | Unset): What CONTEXT names, by its names.
        priority (EscalationPriority | Unset): In a queue's line those with a higher one come first.
        reason (str | Unset):
        step (str | Unset):
    """

    agent_name: str
    context: EscalationContext | Unset = UNSET
    priority: EscalationPriority | Unset = UNSET
    reason: str | Unset = UNSET
    step: str | Unset = UNSET
    additional_properties: dict[str, Any] = _attrs_field(init=False, factory=dict)

    def to_dict(self) -> dict[str, Any]:
        agent_name = self.agent_name

        context: dict[str, Any] | Unset = UNSET
        if not isinstance(self.context, Unset):
            context = self.context.to_dict()

        priority: str | Unset = UNSET
        if not isinstance(self.priority, Unset):
            priority = self.priority.value

        reason = self.reason

        step = self.step

        field_dict: dict[str, Any] = {}
        field_dict.update(self.additional_properties)
        field_dict.update(
            {
                "agentName": agent_name,
            }
        )
        if context is not UNSET:
            field_dict["context"] = context
        if priority is not UNSET:
            field_dict["priority"] = priority
        if reason is not UNSET:
            field_dict["reason"] = reason
        if step is not UNSET:
            field_dict["step"] = step

        return field_dict

    @classmethod
    def from_dict(cls: type[T], src_dict: Mapping[str, Any]) -> T:
        from ..models.escalation_context import EscalationContext  # noqa: PLC0415

        d = dict(src_dict)
        agent_name = d.pop("agentName")

        _context = d.pop("context", UNSET)
        context: EscalationContext | Unset
        if isinstance(_context, Unset):
            context = UNSET
        else:
            context = EscalationContext.from_dict(_context)

        _priority = d.pop("priority", UNSET)
        priority: EscalationPriority | Unset
        if isinstance(_priority, Unset):
            priority = UNSET
        else:
            priority = EscalationPriority(_priority)

        reason = d.pop("reason", UNSET)

        step = d.pop("step", UNSET)

        escalation = cls(
            agent_name=agent_name,
            context=context,
            priority=priority,
            reason=reason,
            step=step,
        )

        escalation.additional_properties = d
        return escalation

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
