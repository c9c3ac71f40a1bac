from http import HTTPStatus
from typing import Any

import httpx

from ... import errors
from ...client import AuthenticatedClient, Client
from ...models.refusal import Refusal
from ...models.run_agent_input import RunAgentInput
from ...types import UNSET, Response, Unset


def _get_kwargs(
    *,
    body: RunAgentInput,
    idempotency_key: str | Unset = UNSET,
) -> dict[str, Any]:
    headers: dict[str, Any] = {}
    if not isinstance(idempotency_key, Unset):
        headers["Idempotency-Key"] = idempotency_key

    _kwargs: dict[str, Any] = {
        "method": "post",
        "url": "/api/v1/channels/ag_ui/runs",
    }

    _kwargs["json"] = body.to_dict()

    headers["Content-Type"] = "application/json"

    _kwargs["headers"] = headers
    return _kwargs


def _parse_response(
    *, client: AuthenticatedClient | Client, response: httpx.Response
) -> Refusal | str | None:
    if response.status_code == 200:
        response_200 = response.text
        return response_200

    if response.status_code == 400:
        response_400 = Refusal.from_dict(response.json())

        return response_400

    if response.status_code == 401:
        response_401 = Refusal.from_dict(response.json())

        return response_401

    if response.status_code == 403:
        response_403 = Refusal.from_dict(response.json())

        return response_403

    if response.status_code == 404:
        response_404 = Refusal.from_dict(response.json())

        return response_404

    if response.status_code == 409:
        response_409 = Refusal.from_dict(response.json())

        return response_409

    if response.status_code == 410:
        response_410 = Refusal.from_dict(response.json())

        return response_410

    if response.status_code == 413:
        response_413 = Refusal.from_dict(response.json())

        return response_413

    if response.status_code == 429:
        response_429 = Refusal.from_dict(response.json())

        return response_429

    if response.status_code == 500:
        response_500 = Refusal.from_dict(response.json())

        return response_500

    if response.status_code == 503:
        response_503 = Refusal.from_dict(response.json())

        return response_503

    if client.raise_on_unexpected_status:
        raise errors.UnexpectedStatus(response.status_code, response.content)
    else:
        return None


def _build_response(
    *, client: AuthenticatedClient | Client, response: httpx.Response
) -> Response[Refusal | str]:
    return Response(
        status_code=HTTPStatus(response.status_code),
        content=response.content,
        headers=response.headers,
        parsed=_parse_response(client=client, response=response),
    )


def sync_detailed(
    *,
    client: AuthenticatedClient,
    body: RunAgentInput,
    idempotency_key: str | Unset = UNSET,
) -> Response[Refusal | str]:
    """Run an agent as AG-UI does, by Server-Sent Events

     `threadId` is the id of the token's session, `runId` the Idempotency-Key: the same run is told
    again, and begins nothing. Of `messages` the last one is said, which must be the user's, in text;
    what came before it is in the session. What the agent has shown is chosen by `forwardedProps.action`
    {id, value}; then there need be no message. `state`, `context` and the other `forwardedProps` are
    the message's metadata, of which agents see session.messageMetadata: at most 16 KiB and 5 levels.
    What STATE_SNAPSHOT has put into `state` is left out of that. `tools` of the front end are not
    offered to the agent, `resume` is not taken.

    The events are RUN_STARTED, STEP_STARTED and STEP_FINISHED of the agent's steps, TEXT_MESSAGE_START,
    _CONTENT and _END, TOOL_CALL_START, _END and _RESULT of the agent's own tools (the name and the
    outcome: neither arguments nor results are for pages), CUSTOM `actions` {messageId, richContent,
    actions} and `message` {messageId, id}, which gives the id of a message in the session that was told
    while a model spoke; MESSAGES_SNAPSHOT where what was told is not what was said; STATE_SNAPSHOT, and
    RUN_FINISHED {result: {action}} with the action of chat-send, or RUN_ERROR {message, code} with its
    codes. Texts come while a model speaks if this node asks it. What people say who have the session is
    in no run: it is told by web-chat.

    Who leaves cancels nothing.

    Args:
        idempotency_key (str | Unset):
        body (RunAgentInput):

    Raises:
        errors.UnexpectedStatus: If the server returns an undocumented status code and Client.raise_on_unexpected_status is True.
        httpx.TimeoutException: If the request takes longer than Client.timeout.

    Returns:
        Response[Refusal | str]
    """

    kwargs = _get_kwargs(
        body=body,
        idempotency_key=idempotency_key,
    )

    response = client.get_httpx_client().request(
        **kwargs,
    )

    return _build_response(client=client, response=response)


def sync(
    *,
    client: AuthenticatedClient,
    body: RunAgentInput,
    idempotency_key: str | Unset = UNSET,
) -> Refusal | str | None:
    """Run an agent as AG-UI does, by Server-Sent Events

     `threadId` is the id of the token's session, `runId` the Idempotency-Key: the same run is told
    again, and begins nothing. Of `messages` the last one is said, which must be the user's, in text;
    what came before it is in the session. What the agent has shown is chosen by `forwardedProps.action`
    {id, value}; then there need be no message. `state`, `context` and the other `forwardedProps` are
    the message's metadata, of which agents see session.messageMetadata: at most 16 KiB and 5 levels.
    What STATE_SNAPSHOT has put into `state` is left out of that. `tools` of the front end are not
    offered to the agent, `resume` is not taken.

    The events are RUN_STARTED, STEP_STARTED and STEP_FINISHED of the agent's steps, TEXT_MESSAGE_START,
    _CONTENT and _END, TOOL_CALL_START, _END and _RESULT of the agent's own tools (the name and the
    outcome: neither arguments nor results are for pages), CUSTOM `actions` {messageId, richContent,
    actions} and `message` {messageId, id}, which gives the id of a message in the session that was told
    while a model spoke; MESSAGES_SNAPSHOT where what was told is not what was said; STATE_SNAPSHOT, and
    RUN_FINISHED {result: {action}} with the action of chat-send, or RUN_ERROR {message, code} with its
    codes. Texts come while a model speaks if this node asks it. What people say who have the session is
    in no run: it is told by web-chat.

    Who leaves cancels nothing.

    Args:
        idempotency_key (str | Unset):
        body (RunAgentInput):

    Raises:
        errors.UnexpectedStatus: If the server returns an undocumented status code and Client.raise_on_unexpected_status is True.
        httpx.TimeoutException: If the request takes longer than Client.timeout.

    Returns:
        Refusal | str
    """

    return sync_detailed(
        client=client,
        body=body,
        idempotency_key=idempotency_key,
    ).parsed


async def asyncio_detailed(
    *,
    client: AuthenticatedClient,
    body: RunAgentInput,
    idempotency_key: str | Unset = UNSET,
) -> Response[Refusal | str]:
    """Run an agent as AG-UI does, by Server-Sent Events

     `threadId` is the id of the token's session, `runId` the Idempotency-Key: the same run is told
    again, and begins nothing. Of `messages` the last one is said, which must be the user's, in text;
    what came before it is in the session. What the agent has shown is chosen by `forwardedProps.action`
    {id, value}; then there need be no message. `state`, `context` and the other `forwardedProps` are
    the message's metadata, of which agents see session.messageMetadata: at most 16 KiB and 5 levels.
    What STATE_SNAPSHOT has put into `state` is left out of that. `tools` of the front end are not
    offered to the agent, `resume` is not taken.

    The events are RUN_STARTED, STEP_STARTED and STEP_FINISHED of the agent's steps, TEXT_MESSAGE_START,
    _CONTENT and _END, TOOL_CALL_START, _END and _RESULT of the agent's own tools (the name and the
    outcome: neither arguments nor results are for pages), CUSTOM `actions` {messageId, richContent,
    actions} and `message` {messageId, id}, which gives the id of a message in the session that was told
    while a model spoke; MESSAGES_SNAPSHOT where what was told is not what was said; STATE_SNAPSHOT, and
    RUN_FINISHED {result: {action}} with the action of chat-send, or RUN_ERROR {message, code} with its
    codes. Texts come while a model speaks if this node asks it. What people say who have the session is
    in no run: it is told by web-chat.

    Who leaves cancels nothing.

    Args:
        idempotency_key (str | Unset):
        body (RunAgentInput):

    Raises:
        errors.UnexpectedStatus: If the server returns an undocumented status code and Client.raise_on_unexpected_status is True.
        httpx.TimeoutException: If the request takes longer than Client.timeout.

    Returns:
        Response[Refusal | str]
    """

    kwargs = _get_kwargs(
        body=body,
        idempotency_key=idempotency_key,
    )

    response = await client.get_async_httpx_client().request(**kwargs)

    return _build_response(client=client, response=response)


async def asyncio(
    *,
    client: AuthenticatedClient,
    body: RunAgentInput,
    idempotency_key: str | Unset = UNSET,
) -> Refusal | str | None:
    """Run an agent as AG-UI does, by Server-Sent Events

     `threadId` is the id of the token's session, `runId` the Idempotency-Key: the same run is told
    again, and begins nothing. Of `messages` the last one is said, which must be the user's, in text;
    what came before it is in the session. What the agent has shown is chosen by `forwardedProps.action`
    {id, value}; then there need be no message. `state`, `context` and the other `forwardedProps` are
    the message's metadata, of which agents see session.messageMetadata: at most 16 KiB and 5 levels.
    What STATE_SNAPSHOT has put into `state` is left out of that. `tools` of the front end are not
    offered to the agent, `resume` is not taken.

    The events are RUN_STARTED, STEP_STARTED and STEP_FINISHED of the agent's steps, TEXT_MESSAGE_START,
    _CONTENT and _END, TOOL_CALL_START, _END and _RESULT of the agent's own tools (the name and the
    outcome: neither arguments nor results are for pages), CUSTOM `actions` {messageId, richContent,
    actions} and `message` {messageId, id}, which gives the id of a message in the session that was told
    while a model spoke; MESSAGES_SNAPSHOT where what was told is not what was said; STATE_SNAPSHOT, and
    RUN_FINISHED {result: {action}} with the action of chat-send, or RUN_ERROR {message, code} with its
    codes. Texts come while a model speaks if this node asks it. What people say who have the session is
    in no run: it is told by web-chat.

    Who leaves cancels nothing.

    Args:
        idempotency_key (str | Unset):
        body (RunAgentInput):

    Raises:
        errors.UnexpectedStatus: If the server returns an undocumented status code and Client.raise_on_unexpected_status is True.
        httpx.TimeoutException: If the request takes longer than Client.timeout.

    Returns:
        Refusal | str
    """

    return (
        await asyncio_detailed(
            client=client,
            body=body,
            idempotency_key=idempotency_key,
        )
    ).parsed
