from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, TypeVar, cast

from attrs import define as _attrs_define
from attrs import field as _attrs_field

from ..models.destination_destination_type import DestinationDestinationType
from ..types import UNSET, Unset

if TYPE_CHECKING:
    from ..models.responding_agent import RespondingAgent


T = TypeVar("T", bound="Destination")


@_attrs_define
class Destination:
    """
    Attributes:
        callback_opted (bool):
        callback_opted_time (None | str): null: no callback was asked for.
        enter_time (str):
        destination_type (DestinationDestinationType):
        user_callback_accept_time (None | str): null: no callback was asked for.
        queue_id (str | Unset):
        queue_name (str | Unset):
        responding_agent (RespondingAgent | Unset):
    """

    callback_opted: bool
    callback_opted_time: None | str
    enter_time: str
    destination_type: DestinationDestinationType
    user_callback_accept_time: None | str
    queue_id: str | Unset = UNSET
    queue_name: str | Unset = UNSET
    responding_agent: RespondingAgent | Unset = UNSET
    additional_properties: dict[str, Any] = _attrs_field(init=False, factory=dict)

    def to_dict(self) -> dict[str, Any]:
        callback_opted = self.callback_opted

        callback_opted_time: None | str
        callback_opted_time = self.callback_opted_time

        enter_time = self.enter_time

        destination_type = self.destination_type.value

        user_callback_accept_time: None | str
        user_callback_accept_time = self.user_callback_accept_time

        queue_id = self.queue_id

        queue_name = self.queue_name

        responding_agent: dict[str, Any] | Unset = UNSET
        if not isinstance(self.responding_agent, Unset):
            responding_agent = self.responding_agent.to_dict()

        field_dict: dict[str, Any] = {}
        field_dict.update(self.additional_properties)
        field_dict.update(
            {
                "CallbackOpted": callback_opted,
                "CallbackOptedTime": callback_opted_time,
                "EnterTime": enter_time,
                "destinationType": destination_type,
                "userCallbackAcceptTime": user_callback_accept_time,
            }
        )
        if queue_id is not UNSET:
            field_dict["queueId"] = queue_id
        if queue_name is not UNSET:
            field_dict["queueName"] = queue_name
        if responding_agent is not UNSET:
            field_dict["respondingAgent"] = responding_agent

        return field_dict

    @classmethod
    def from_dict(cls: type[T], src_dict: Mapping[str, Any]) -> T:
        from ..models.responding_agent import RespondingAgent  # noqa: PLC0415

        d = dict(src_dict)
        callback_opted = d.pop("CallbackOpted")

        def _parse_callback_opted_time(data: object) -> None | str:
            if data is None:
                return data
            return cast(None | str, data)

        callback_opted_time = _parse_callback_opted_time(d.pop("CallbackOptedTime"))

        enter_time = d.pop("EnterTime")

        destination_type = DestinationDestinationType(d.pop("destinationType"))

        def _parse_user_callback_accept_time(data: object) -> None | str:
            if data is None:
                return data
            return cast(None | str, data)

        user_callback_accept_time = _parse_user_callback_accept_time(
            d.pop("userCallbackAcceptTime")
        )

        queue_id = d.pop("queueId", UNSET)

        queue_name = d.pop("queueName", UNSET)

        _responding_agent = d.pop("respondingAgent", UNSET)
        responding_agent: RespondingAgent | Unset
        if isinstance(_responding_agent, Unset):
            responding_agent = UNSET
        else:
            responding_agent = RespondingAgent.from_dict(_responding_agent)

        destination = cls(
            callback_opted=callback_opted,
            callback_opted_time=callback_opted_time,
            enter_time=enter_time,
            destination_type=destination_type,
            user_callback_accept_time=user_callback_accept_time,
            queue_id=queue_id,
            queue_name=queue_name,
            responding_agent=responding_agent,
        )

        destination.additional_properties = d
        return destination

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
