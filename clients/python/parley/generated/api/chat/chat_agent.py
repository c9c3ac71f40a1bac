from http import HTTPStatus
from typing import Any

import httpx

from ... import errors
from ...client import AuthenticatedClient, Client
from ...models.chat_request import ChatRequest
from ...models.chat_result import ChatResult
from ...models.refusal import Refusal
from ...types import UNSET, Response, Unset


def _get_kwargs(
    *,
    body: ChatRequest,
    idempotency_key: str | Unset = UNSET,
) -> dict[str, Any]:
    headers: dict[str, Any] = {}
    if not isinstance(idempotency_key, Unset):
        headers["Idempotency-Key"] = idempotency_key

    _kwargs: dict[str, Any] = {
        "method": "post",
        "url": "/api/v1/chat/agent",
    }

    _kwargs["json"] = body.to_dict()

    headers["Content-Type"] = "application/json"

    _kwargs["headers"] = headers
    return _kwargs


def _parse_response(
    *, client: AuthenticatedClient | Client, response: httpx.Response
) -> ChatResult | Refusal | None:
    if response.status_code == 200:
        response_200 = ChatResult.from_dict(response.json())

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
) -> Response[ChatResult | Refusal]:
    return Response(
        status_code=HTTPStatus(response.status_code),
        content=response.content,
        headers=response.headers,
        parsed=_parse_response(client=client, response=response),
    )


def sync_detailed(
    *,
    client: AuthenticatedClient,
    body: ChatRequest,
    idempotency_key: str | Unset = UNSET,
) -> Response[ChatResult | Refusal]:
    """Say something to an agent

     Without `sessionId` a session begins, with the newest active deployment of production, else of
    staging, else of dev, or the one that is named. The answer is durable, and readable on every node,
    when it comes: with an Idempotency-Key a repeat is answered with it. `testContext` needs the
    permission agent:write and begins a session, or comes with the first message in one that create-
    session began; such sessions are in no report, but for the beginning of the latter. With `Accept:
    text/event-stream` (extension) the turn is told as it goes on, by Server-Sent Events: `begun`
    {sessionId, turn}, `delta` {callId, agentName, delta} of what a model is about to say, `trace` and
    `said` as in the answer, and at last the answer itself as `complete`, or `error` {code, error}.
    Deltas are provisional: what is said is in `said`, behind the `llm_call` of their callId, and
    `reset` {callId, reason} takes them back. An agent with guardrails of output has none. A comment
    comes every 15 seconds in which nothing else does. A caller who goes away cancels nothing.

    Args:
        idempotency_key (str | Unset):
        body (ChatRequest):

    Raises:
        errors.UnexpectedStatus: If the server returns an undocumented status code and Client.raise_on_unexpected_status is True.
        httpx.TimeoutException: If the request takes longer than Client.timeout.

    Returns:
        Response[ChatResult | Refusal]
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
    body: ChatRequest,
    idempotency_key: str | Unset = UNSET,
) -> ChatResult | Refusal | None:
    """Say something to an agent

     Without `sessionId` a session begins, with the newest active deployment of production, else of
    staging, else of dev, or the one that is named. The answer is durable, and readable on every node,
    when it comes: with an Idempotency-Key a repeat is answered with it. `testContext` needs the
    permission agent:write and begins a session, or comes with the first message in one that create-
    session began; such sessions are in no report, but for the beginning of the latter. With `Accept:
    text/event-stream` (extension) the turn is told as it goes on, by Server-Sent Events: `begun`
    {sessionId, turn}, `delta` {callId, agentName, delta} of what a model is about to say, `trace` and
    `said` as in the answer, and at last the answer itself as `complete`, or `error` {code, error}.
    Deltas are provisional: what is said is in `said`, behind the `llm_call` of their callId, and
    `reset` {callId, reason} takes them back. An agent with guardrails of output has none. A comment
    comes every 15 seconds in which nothing else does. A caller who goes away cancels nothing.

    Args:
        idempotency_key (str | Unset):
        body (ChatRequest):

    Raises:
        errors.UnexpectedStatus: If the server returns an undocumented status code and Client.raise_on_unexpected_status is True.
        httpx.TimeoutException: If the request takes longer than Client.timeout.

    Returns:
        ChatResult | Refusal
    """

    return sync_detailed(
        client=client,
        body=body,
        idempotency_key=idempotency_key,
    ).parsed


async def asyncio_detailed(
    *,
    client: AuthenticatedClient,
    body: ChatRequest,
    idempotency_key: str | Unset = UNSET,
) -> Response[ChatResult | Refusal]:
    """Say something to an agent

     Without `sessionId` a session begins, with the newest active deployment of production, else of
    staging, else of dev, or the one that is named. The answer is durable, and readable on every node,
    when it comes: with an Idempotency-Key a repeat is answered with it. `testContext` needs the
    permission agent:write and begins a session, or comes with the first message in one that create-
    session began; such sessions are in no report, but for the beginning of the latter. With `Accept:
    text/event-stream` (extension) the turn is told as it goes on, by Server-Sent Events: `begun`
    {sessionId, turn}, `delta` {callId, agentName, delta} of what a model is about to say, `trace` and
    `said` as in the answer, and at last the answer itself as `complete`, or `error` {code, error}.
    Deltas are provisional: what is said is in `said`, behind the `llm_call` of their callId, and
    `reset` {callId, reason} takes them back. An agent with guardrails of output has none. A comment
    comes every 15 seconds in which nothing else does. A caller who goes away cancels nothing.

    Args:
        idempotency_key (str | Unset):
        body (ChatRequest):

    Raises:
        errors.UnexpectedStatus: If the server returns an undocumented status code and Client.raise_on_unexpected_status is True.
        httpx.TimeoutException: If the request takes longer than Client.timeout.

    Returns:
        Response[ChatResult | Refusal]
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
    body: ChatRequest,
    idempotency_key: str | Unset = UNSET,
) -> ChatResult | Refusal | None:
    """Say something to an agent

     Without `sessionId` a session begins, with the newest active deployment of production, else of
    staging, else of dev, or the one that is named. The answer is durable, and readable on every node,
    when it comes: with an Idempotency-Key a repeat is answered with it. `testContext` needs the
    permission agent:write and begins a session, or comes with the first message in one that create-
    session began; such sessions are in no report, but for the beginning of the latter. With `Accept:
    text/event-stream` (extension) the turn is told as it goes on, by Server-Sent Events: `begun`
    {sessionId, turn}, `delta` {callId, agentName, delta} of what a model is about to say, `trace` and
    `said` as in the answer, and at last the answer itself as `complete`, or `error` {code, error}.
    Deltas are provisional: what is said is in `said`, behind the `llm_call` of their callId, and
    `reset` {callId, reason} takes them back. An agent with guardrails of output has none. A comment
    comes every 15 seconds in which nothing else does. A caller who goes away cancels nothing.

    Args:
        idempotency_key (str | Unset):
        body (ChatRequest):

    Raises:
        errors.UnexpectedStatus: If the server returns an undocumented status code and Client.raise_on_unexpected_status is True.
        httpx.TimeoutException: If the request takes longer than Client.timeout.

    Returns:
        ChatResult | Refusal
    """

    return (
        await asyncio_detailed(
            client=client,
            body=body,
            idempotency_key=idempotency_key,
        )
    ).parsed
