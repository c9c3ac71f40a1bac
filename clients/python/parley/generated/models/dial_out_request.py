from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, TypeVar, cast

from attrs import define as _attrs_define
from attrs import field as _attrs_field

from ..models.dial_out_request_machine_detection import DialOutRequestMachineDetection
from ..types import UNSET, Unset

if TYPE_CHECKING:
    from ..models.call_control_parameter import CallControlParameter
    from ..models.detection_timers import DetectionTimers
    from ..models.dial_out_request_notify_headers import DialOutRequestNotifyHeaders


T = TypeVar("T", bound="DialOutRequest")


@_attrs_define
class DialOutRequest:
    """
    Attributes:
        bot_id (str): The same bot as in the path.
        caller (str): User part of the caller ID, 1 to 64 letters, digits or + * # _ . ~ ! -; chooses the experience
            flow.
        target (str): Callee URI: tel:<number with country code> or sip:<user>@<host>:<port>.
        amd_events_subscription (list[str] | Unset): AMD results to notify of (amd_human_detected, amd_machine_detected,
            amd_no_speech_detected, amd_decision_timeout, amd_machine_stopped_speaking, amd_tone_detected, amd_error,
            amd_stopped): all when absent, none when empty.
        call_control_parameter (CallControlParameter | Unset):
        machine_detection (DialOutRequestMachineDetection | Unset): disabled when absent.
        metadata (Any | Unset): Key-value data passed to the bot: an object of at most 64 levels.
        notify_headers (DialOutRequestNotifyHeaders | Unset): Headers sent with every notification, but for those that
            frame it (Content-Type, Transfer-Encoding, Connection ...) and ours (X-Delivery-Id, X-Delivery-Attempt), which
            stay as they are. SAVG-Signature, Host and Content-Length are refused. At most 64, of at most 8 KiB each.
        notifyurl (str | Unset): Absolute URL that receives notifications, of at most 2,048 characters. None are sent
            without it.
        threshold_word_count (int | Unset): 1 to 100; 9 when absent.
        timeout_in_ms (int | Unset): How long to wait for an answer: 1,000 to 300,000 ms, 60,000 when absent.
        timers (DetectionTimers | Unset):
        trunk (str | Unset): Carrier of the account; the default one when absent.
    """

    bot_id: str
    caller: str
    target: str
    amd_events_subscription: list[str] | Unset = UNSET
    call_control_parameter: CallControlParameter | Unset = UNSET
    machine_detection: DialOutRequestMachineDetection | Unset = UNSET
    metadata: Any | Unset = UNSET
    notify_headers: DialOutRequestNotifyHeaders | Unset = UNSET
    notifyurl: str | Unset = UNSET
    threshold_word_count: int | Unset = UNSET
    timeout_in_ms: int | Unset = UNSET
    timers: DetectionTimers | Unset = UNSET
    trunk: str | Unset = UNSET
    additional_properties: dict[str, Any] = _attrs_field(init=False, factory=dict)

    def to_dict(self) -> dict[str, Any]:
        bot_id = self.bot_id

        caller = self.caller

        target = self.target

        amd_events_subscription: list[str] | Unset = UNSET
        if not isinstance(self.amd_events_subscription, Unset):
            amd_events_subscription = self.amd_events_subscription

        call_control_parameter: dict[str, Any] | Unset = UNSET
        if not isinstance(self.call_control_parameter, Unset):
            call_control_parameter = self.call_control_parameter.to_dict()

        machine_detection: str | Unset = UNSET
        if not isinstance(self.machine_detection, Unset):
            machine_detection = self.machine_detection.value

        metadata = self.metadata

        notify_headers: dict[str, Any] | Unset = UNSET
        if not isinstance(self.notify_headers, Unset):
            notify_headers = self.notify_headers.to_dict()

        notifyurl = self.notifyurl

        threshold_word_count = self.threshold_word_count

        timeout_in_ms = self.timeout_in_ms

        timers: dict[str, Any] | Unset = UNSET
        if not isinstance(self.timers, Unset):
            timers = self.timers.to_dict()

        trunk = self.trunk

        field_dict: dict[str, Any] = {}
        field_dict.update(self.additional_properties)
        field_dict.update(
            {
                "botId": bot_id,
                "caller": caller,
                "target": target,
            }
        )
        if amd_events_subscription is not UNSET:
            field_dict["amdEventsSubscription"] = amd_events_subscription
        if call_control_parameter is not UNSET:
            field_dict["callControlParameter"] = call_control_parameter
        if machine_detection is not UNSET:
            field_dict["machineDetection"] = machine_detection
        if metadata is not UNSET:
            field_dict["metadata"] = metadata
        if notify_headers is not UNSET:
            field_dict["notifyHeaders"] = notify_headers
        if notifyurl is not UNSET:
            field_dict["notifyurl"] = notifyurl
        if threshold_word_count is not UNSET:
            field_dict["thresholdWordCount"] = threshold_word_count
        if timeout_in_ms is not UNSET:
            field_dict["timeoutInMs"] = timeout_in_ms
        if timers is not UNSET:
            field_dict["timers"] = timers
        if trunk is not UNSET:
            field_dict["trunk"] = trunk

        return field_dict

    @classmethod
    def from_dict(cls: type[T], src_dict: Mapping[str, Any]) -> T:
        from ..models.call_control_parameter import (
            CallControlParameter,  # noqa: PLC0415
        )
        from ..models.detection_timers import DetectionTimers  # noqa: PLC0415
        from ..models.dial_out_request_notify_headers import (
            DialOutRequestNotifyHeaders,  # noqa: PLC0415
        )

        d = dict(src_dict)
        bot_id = d.pop("botId")

        caller = d.pop("caller")

        target = d.pop("target")

        amd_events_subscription = cast(list[str], d.pop("amdEventsSubscription", UNSET))

        _call_control_parameter = d.pop("callControlParameter", UNSET)
        call_control_parameter: CallControlParameter | Unset
        if isinstance(_call_control_parameter, Unset):
            call_control_parameter = UNSET
        else:
            call_control_parameter = CallControlParameter.from_dict(
                _call_control_parameter
            )

        _machine_detection = d.pop("machineDetection", UNSET)
        machine_detection: DialOutRequestMachineDetection | Unset
        if isinstance(_machine_detection, Unset):
            machine_detection = UNSET
        else:
            machine_detection = DialOutRequestMachineDetection(_machine_detection)

        metadata = d.pop("metadata", UNSET)

        _notify_headers = d.pop("notifyHeaders", UNSET)
        notify_headers: DialOutRequestNotifyHeaders | Unset
        if isinstance(_notify_headers, Unset):
            notify_headers = UNSET
        else:
            notify_headers = DialOutRequestNotifyHeaders.from_dict(_notify_headers)

        notifyurl = d.pop("notifyurl", UNSET)

        threshold_word_count = d.pop("thresholdWordCount", UNSET)

        timeout_in_ms = d.pop("timeoutInMs", UNSET)

        _timers = d.pop("timers", UNSET)
        timers: DetectionTimers | Unset
        if isinstance(_timers, Unset):
            timers = UNSET
        else:
            timers = DetectionTimers.from_dict(_timers)

        trunk = d.pop("trunk", UNSET)

        dial_out_request = cls(
            bot_id=bot_id,
            caller=caller,
            target=target,
            amd_events_subscription=amd_events_subscription,
            call_control_parameter=call_control_parameter,
            machine_detection=machine_detection,
            metadata=metadata,
            notify_headers=notify_headers,
            notifyurl=notifyurl,
            threshold_word_count=threshold_word_count,
            timeout_in_ms=timeout_in_ms,
            timers=timers,
            trunk=trunk,
        )

        dial_out_request.additional_properties = d
        return dial_out_request

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
