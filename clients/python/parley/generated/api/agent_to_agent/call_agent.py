from http import HTTPStatus
from typing import Any
from urllib.parse import quote

import httpx

from ... import errors
from ...client import AuthenticatedClient, Client
from ...models.call_agent_body import CallAgentBody
from ...models.call_agent_response_200 import CallAgentResponse200
from ...models.refusal import Refusal
from ...types import UNSET, Response, Unset


def _get_kwargs(
    connection_id: str,
    *,
    body: CallAgentBody,
    idempotency_key: str | Unset = UNSET,
    a2a_version: str | Unset = UNSET,
) -> dict[str, Any]:
    headers: dict[str, Any] = {}
    if not isinstance(idempotency_key, Unset):
        headers["Idempotency-Key"] = idempotency_key

    if not isinstance(a2a_version, Unset):
        headers["A2A-Version"] = a2a_version

    _kwargs: dict[str, Any] = {
        "method": "post",
        "url": "/api/v1/a2a/{connection_id}".format(
            connection_id=quote(str(connection_id), safe=""),
        ),
    }

    _kwargs["json"] = body.to_dict()

    headers["Content-Type"] = "application/json"

    _kwargs["headers"] = headers
    return _kwargs


def _parse_response(
    *, client: AuthenticatedClient | Client, response: httpx.Response
) -> CallAgentResponse200 | Refusal | None:
    if response.status_code == 200:
        response_200 = CallAgentResponse200.from_dict(response.json())

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
) -> Response[CallAgentResponse200 | Refusal]:
    return Response(
        status_code=HTTPStatus(response.status_code),
        content=response.content,
        headers=response.headers,
        parsed=_parse_response(client=client, response=response),
    )


def sync_detailed(
    connection_id: str,
    *,
    client: AuthenticatedClient,
    body: CallAgentBody,
    idempotency_key: str | Unset = UNSET,
    a2a_version: str | Unset = UNSET,
) -> Response[CallAgentResponse200 | Refusal]:
    """Talk with an agent, by the agent-to-agent protocol

     One request of JSON-RPC, in version 0.3, or 1.0 with `A2A-Version: 1.0`: sending a message, as a
    stream of Server-Sent Events or not; getting, cancelling and following a task; where somebody is
    told of it. A context is a conversation, a task is what the agent does because of a message,
    `messageId` makes repeating one safe. A body that is `{message}` alone is sending it: its
    `messageId` may be left out. Faults of the protocol are 200 with `error`; what is refused before it
    is read is answered as by other operations.

    Args:
        connection_id (str):
        idempotency_key (str | Unset):
        a2a_version (str | Unset):
        body (CallAgentBody):

    Raises:
        errors.UnexpectedStatus: If the server returns an undocumented status code and Client.raise_on_unexpected_status is True.
        httpx.TimeoutException: If the request takes longer than Client.timeout.

    Returns:
        Response[CallAgentResponse200 | Refusal]
    """

    kwargs = _get_kwargs(
        connection_id=connection_id,
        body=body,
        idempotency_key=idempotency_key,
        a2a_version=a2a_version,
    )

    response = client.get_httpx_client().request(
        **kwargs,
    )

    return _build_response(client=client, response=response)


def sync(
    connection_id: str,
    *,
    client: AuthenticatedClient,
    body: CallAgentBody,
    idempotency_key: str | Unset = UNSET,
    a2a_version: str | Unset = UNSET,
) -> CallAgentResponse200 | Refusal | None:
    """Talk with an agent, by the agent-to-agent protocol

     One request of JSON-RPC, in version 0.3, or 1.0 with `A2A-Version: 1.0`: sending a message, as a
    stream of Server-Sent Events or not; getting, cancelling and following a task; where somebody is
    told of it. A context is a conversation, a task is what the agent does because of a message,
    `messageId` makes repeating one safe. A body that is `{message}` alone is sending it: its
    `messageId` may be left out. Faults of the protocol are 200 with `error`; what is refused before it
    is read is answered as by other operations.

    Args:
        connection_id (str):
        idempotency_key (str | Unset):
        a2a_version (str | Unset):
        body (CallAgentBody):

    Raises:
        errors.UnexpectedStatus: If the server returns an undocumented status code and Client.raise_on_unexpected_status is True.
        httpx.TimeoutException: If the request takes longer than Client.timeout.

    Returns:
        CallAgentResponse200 | Refusal
    """

    return sync_detailed(
        connection_id=connection_id,
        client=client,
        body=body,
        idempotency_key=idempotency_key,
        a2a_version=a2a_version,
    ).parsed


async def asyncio_detailed(
    connection_id: str,
    *,
    client: AuthenticatedClient,
    body: CallAgentBody,
    idempotency_key: str | Unset = UNSET,
    a2a_version: str | Unset = UNSET,
) -> Response[CallAgentResponse200 | Refusal]:
    """Talk with an agent, by the agent-to-agent protocol

     One request of JSON-RPC, in version 0.3, or 1.0 with `A2A-Version: 1.0`: sending a message, as a
    stream of Server-Sent Events or not; getting, cancelling and following a task; where somebody is
    told of it. A context is a conversation, a task is what the agent does because of a message,
    `messageId` makes repeating one safe. A body that is `{message}` alone is sending it: its
    `messageId` may be left out. Faults of the protocol are 200 with `error`; what is refused before it
    is read is answered as by other operations.

    Args:
        connection_id (str):
        idempotency_key (str | Unset):
        a2a_version (str | Unset):
        body (CallAgentBody):

    Raises:
        errors.UnexpectedStatus: If the server returns an undocumented status code and Client.raise_on_unexpected_status is True.
        httpx.TimeoutException: If the request takes longer than Client.timeout.

    Returns:
        Response[CallAgentResponse200 | Refusal]
    """

    kwargs = _get_kwargs(
        connection_id=connection_id,
        body=body,
        idempotency_key=idempotency_key,
        a2a_version=a2a_version,
    )

    response = await client.get_async_httpx_client().request(**kwargs)

    return _build_response(client=client, response=response)


async def asyncio(
    connection_id: str,
    *,
    client: AuthenticatedClient,
    body: CallAgentBody,
    idempotency_key: str | Unset = UNSET,
    a2a_version: str | Unset = UNSET,
) -> CallAgentResponse200 | Refusal | None:
    """Talk with an agent, by the agent-to-agent protocol

     One request of JSON-RPC, in version 0.3, or 1.0 with `A2A-Version: 1.0`: sending a message, as a
    stream of Server-Sent Events or not; getting, cancelling and following a task; where somebody is
    told of it. A context is a conversation, a task is what the agent does because of a message,
    `messageId` makes repeating one safe. A body that is `{message}` alone is sending it: its
    `messageId` may be left out. Faults of the protocol are 200 with `error`; what is refused before it
    is read is answered as by other operations.

    Args:
        connection_id (str):
        idempotency_key (str | Unset):
        a2a_version (str | Unset):
        body (CallAgentBody):

    Raises:
        errors.UnexpectedStatus: If the server returns an undocumented status code and Client.raise_on_unexpected_status is True.
        httpx.TimeoutException: If the request takes longer than Client.timeout.

    Returns:
        CallAgentResponse200 | Refusal
    """

    return (
        await asyncio_detailed(
            connection_id=connection_id,
            client=client,
            body=body,
            idempotency_key=idempotency_key,
            a2a_version=a2a_version,
        )
    ).parsed
