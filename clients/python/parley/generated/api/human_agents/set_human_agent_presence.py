from http import HTTPStatus
from typing import Any
from urllib.parse import quote

import httpx

from ... import errors
from ...client import AuthenticatedClient, Client
from ...models.human_agent import HumanAgent
from ...models.presence_request import PresenceRequest
from ...models.refusal import Refusal
from ...types import UNSET, Response, Unset


def _get_kwargs(
    stream_id: str,
    agent_id: str,
    *,
    body: PresenceRequest,
    idempotency_key: str | Unset = UNSET,
    account_id: str,
) -> dict[str, Any]:
    headers: dict[str, Any] = {}
    if not isinstance(idempotency_key, Unset):
        headers["Idempotency-Key"] = idempotency_key

    headers["accountId"] = account_id

    _kwargs: dict[str, Any] = {
        "method": "put",
        "url": "/agentassist/api/v1/public/{stream_id}/agents/{agent_id}/presence".format(
            stream_id=quote(str(stream_id), safe=""),
            agent_id=quote(str(agent_id), safe=""),
        ),
    }

    _kwargs["json"] = body.to_dict()

    headers["Content-Type"] = "application/json"

    _kwargs["headers"] = headers
    return _kwargs


def _parse_response(
    *, client: AuthenticatedClient | Client, response: httpx.Response
) -> HumanAgent | Refusal | None:
    if response.status_code == 200:
        response_200 = HumanAgent.from_dict(response.json())

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
) -> Response[HumanAgent | Refusal]:
    return Response(
        status_code=HTTPStatus(response.status_code),
        content=response.content,
        headers=response.headers,
        parsed=_parse_response(client=client, response=response),
    )


def sync_detailed(
    stream_id: str,
    agent_id: str,
    *,
    client: AuthenticatedClient,
    body: PresenceRequest,
    idempotency_key: str | Unset = UNSET,
    account_id: str,
) -> Response[HumanAgent | Refusal]:
    """Say whether a human agent is there

     Only AVAILABLE agents get conversations. The ones that an agent has stay with it; one who has all
    that it can have of a kind is shown as BUSY until one ends, and is AVAILABLE then.

    Args:
        stream_id (str):
        agent_id (str):
        idempotency_key (str | Unset):
        account_id (str):
        body (PresenceRequest):

    Raises:
        errors.UnexpectedStatus: If the server returns an undocumented status code and Client.raise_on_unexpected_status is True.
        httpx.TimeoutException: If the request takes longer than Client.timeout.

    Returns:
        Response[HumanAgent | Refusal]
    """

    kwargs = _get_kwargs(
        stream_id=stream_id,
        agent_id=agent_id,
        body=body,
        idempotency_key=idempotency_key,
        account_id=account_id,
    )

    response = client.get_httpx_client().request(
        **kwargs,
    )

    return _build_response(client=client, response=response)


def sync(
    stream_id: str,
    agent_id: str,
    *,
    client: AuthenticatedClient,
    body: PresenceRequest,
    idempotency_key: str | Unset = UNSET,
    account_id: str,
) -> HumanAgent | Refusal | None:
    """Say whether a human agent is there

     Only AVAILABLE agents get conversations. The ones that an agent has stay with it; one who has all
    that it can have of a kind is shown as BUSY until one ends, and is AVAILABLE then.

    Args:
        stream_id (str):
        agent_id (str):
        idempotency_key (str | Unset):
        account_id (str):
        body (PresenceRequest):

    Raises:
        errors.UnexpectedStatus: If the server returns an undocumented status code and Client.raise_on_unexpected_status is True.
        httpx.TimeoutException: If the request takes longer than Client.timeout.

    Returns:
        HumanAgent | Refusal
    """

    return sync_detailed(
        stream_id=stream_id,
        agent_id=agent_id,
        client=client,
        body=body,
        idempotency_key=idempotency_key,
        account_id=account_id,
    ).parsed


async def asyncio_detailed(
    stream_id: str,
    agent_id: str,
    *,
    client: AuthenticatedClient,
    body: PresenceRequest,
    idempotency_key: str | Unset = UNSET,
    account_id: str,
) -> Response[HumanAgent | Refusal]:
    """Say whether a human agent is there

     Only AVAILABLE agents get conversations. The ones that an agent has stay with it; one who has all
    that it can have of a kind is shown as BUSY until one ends, and is AVAILABLE then.

    Args:
        stream_id (str):
        agent_id (str):
        idempotency_key (str | Unset):
        account_id (str):
        body (PresenceRequest):

    Raises:
        errors.UnexpectedStatus: If the server returns an undocumented status code and Client.raise_on_unexpected_status is True.
        httpx.TimeoutException: If the request takes longer than Client.timeout.

    Returns:
        Response[HumanAgent | Refusal]
    """

    kwargs = _get_kwargs(
        stream_id=stream_id,
        agent_id=agent_id,
        body=body,
        idempotency_key=idempotency_key,
        account_id=account_id,
    )

    response = await client.get_async_httpx_client().request(**kwargs)

    return _build_response(client=client, response=response)


async def asyncio(
    stream_id: str,
    agent_id: str,
    *,
    client: AuthenticatedClient,
    body: PresenceRequest,
    idempotency_key: str | Unset = UNSET,
    account_id: str,
) -> HumanAgent | Refusal | None:
    """Say whether a human agent is there

     Only AVAILABLE agents get conversations. The ones that an agent has stay with it; one who has all
    that it can have of a kind is shown as BUSY until one ends, and is AVAILABLE then.

    Args:
        stream_id (str):
        agent_id (str):
        idempotency_key (str | Unset):
        account_id (str):
        body (PresenceRequest):

    Raises:
        errors.UnexpectedStatus: If the server returns an undocumented status code and Client.raise_on_unexpected_status is True.
        httpx.TimeoutException: If the request takes longer than Client.timeout.

    Returns:
        HumanAgent | Refusal
    """

    return (
        await asyncio_detailed(
            stream_id=stream_id,
            agent_id=agent_id,
            client=client,
            body=body,
            idempotency_key=idempotency_key,
            account_id=account_id,
        )
    ).parsed
