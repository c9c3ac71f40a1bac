from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, TypeVar

from attrs import define as _attrs_define
from attrs import field as _attrs_field

from ..models.chat_request_environment import ChatRequestEnvironment
from ..models.chat_request_on_busy import ChatRequestOnBusy
from ..types import UNSET, Unset

if TYPE_CHECKING:
    from ..models.chat_request_metadata import ChatRequestMetadata
    from ..models.chosen_action import ChosenAction
    from ..models.test_context import TestContext


T = TypeVar("T", bound="ChatRequest")


@_attrs_define
class ChatRequest:
    """
    Attributes:
        message (str): What the user says: not blanks alone, unless something was chosen.
        project_id (str): A project's id or alias.
        action (ChosenAction | Unset):
        agent_id (str | Unset): Who begins, in place of the entry agent: id, name, or path. Of the first turn only.
        deployment_id (str | Unset): Of a new session, or the one of the session.
        environment (ChatRequestEnvironment | Unset): The newest active deployment there.
        language (str | Unset): Of a new session (extension).
        metadata (ChatRequestMetadata | Unset): Of this turn alone: an object of at most 16 KiB and 5 levels. Agents see
            it as session.messageMetadata.
        on_busy (ChatRequestOnBusy | Unset): What becomes of a message that meets a turn of the session: enqueue (the
            default) waits for it, reject is 429, interrupt cancels it first, also one that is suspended; who waits already
            comes before (extension).
        session_id (str | Unset): Goes on with a session; left out: a new one begins.
        test_context (TestContext | Unset):
    """

    message: str
    project_id: str
    action: ChosenAction | Unset = UNSET
    agent_id: str | Unset = UNSET
    deployment_id: str | Unset = UNSET
    environment: ChatRequestEnvironment | Unset = UNSET
    language: str | Unset = UNSET
    metadata: ChatRequestMetadata | Unset = UNSET
    on_busy: ChatRequestOnBusy | Unset = UNSET
    session_id: str | Unset = UNSET
    test_context: TestContext | Unset = UNSET
    additional_properties: dict[str, Any] = _attrs_field(init=False, factory=dict)

    def to_dict(self) -> dict[str, Any]:
        message = self.message

        project_id = self.project_id

        action: dict[str, Any] | Unset = UNSET
        if not isinstance(self.action, Unset):
            action = self.action.to_dict()

        agent_id = self.agent_id

        deployment_id = self.deployment_id

        environment: str | Unset = UNSET
        if not isinstance(self.environment, Unset):
            environment = self.environment.value

        language = self.language

        metadata: dict[str, Any] | Unset = UNSET
        if not isinstance(self.metadata, Unset):
            metadata = self.metadata.to_dict()

        on_busy: str | Unset = UNSET
        if not isinstance(self.on_busy, Unset):
            on_busy = self.on_busy.value

        session_id = self.session_id

        test_context: dict[str, Any] | Unset = UNSET
        if not isinstance(self.test_context, Unset):
            test_context = self.test_context.to_dict()

        field_dict: dict[str, Any] = {}
        field_dict.update(self.additional_properties)
        field_dict.update(
            {
                "message": message,
                "projectId": project_id,
            }
        )
        if action is not UNSET:
            field_dict["action"] = action
        if agent_id is not UNSET:
            field_dict["agentId"] = agent_id
        if deployment_id is not UNSET:
            field_dict["deploymentId"] = deployment_id
        if environment is not UNSET:
            field_dict["environment"] = environment
        if language is not UNSET:
            field_dict["language"] = language
        if metadata is not UNSET:
            field_dict["metadata"] = metadata
        if on_busy is not UNSET:
            field_dict["onBusy"] = on_busy
        if session_id is not UNSET:
            field_dict["sessionId"] = session_id
        if test_context is not UNSET:
            field_dict["testContext"] = test_context

        return field_dict

    @classmethod
    def from_dict(cls: type[T], src_dict: Mapping[str, Any]) -> T:
        from ..models.chat_request_metadata import ChatRequestMetadata  # noqa: PLC0415
        from ..models.chosen_action import ChosenAction  # noqa: PLC0415
        from ..models.test_context import TestContext  # noqa: PLC0415

        d = dict(src_dict)
        message = d.pop("message")

        project_id = d.pop("projectId")

        _action = d.pop("action", UNSET)
        action: ChosenAction | Unset
        if isinstance(_action, Unset):
            action = UNSET
        else:
            action = ChosenAction.from_dict(_action)

        agent_id = d.pop("agentId", UNSET)

        deployment_id = d.pop("deploymentId", UNSET)

        _environment = d.pop("environment", UNSET)
        environment: ChatRequestEnvironment | Unset
        if isinstance(_environment, Unset):
            environment = UNSET
        else:
            environment = ChatRequestEnvironment(_environment)

        language = d.pop("language", UNSET)

        _metadata = d.pop("metadata", UNSET)
        metadata: ChatRequestMetadata | Unset
        if isinstance(_metadata, Unset):
            metadata = UNSET
        else:
            metadata = ChatRequestMetadata.from_dict(_metadata)

        _on_busy = d.pop("onBusy", UNSET)
        on_busy: ChatRequestOnBusy | Unset
        if isinstance(_on_busy, Unset):
            on_busy = UNSET
        else:
            on_busy = ChatRequestOnBusy(_on_busy)

        session_id = d.pop("sessionId", UNSET)

        _test_context = d.pop("testContext", UNSET)
        test_context: TestContext | Unset
        if isinstance(_test_context, Unset):
            test_context = UNSET
        else:
            test_context = TestContext.from_dict(_test_context)

        chat_request = cls(
            message=message,
            project_id=project_id,
            action=action,
            agent_id=agent_id,
            deployment_id=deployment_id,
            environment=environment,
            language=language,
            metadata=metadata,
            on_busy=on_busy,
            session_id=session_id,
            test_context=test_context,
        )

        chat_request.additional_properties = d
        return chat_request

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
