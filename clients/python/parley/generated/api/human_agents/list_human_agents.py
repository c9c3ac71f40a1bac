from http import HTTPStatus
from typing import Any
from urllib.parse import quote

import httpx

from ... import errors
from ...client import AuthenticatedClient, Client
from ...models.list_human_agents_result import ListHumanAgentsResult
from ...models.refusal import Refusal
from ...types import UNSET, Response, Unset


def _get_kwargs(
    stream_id: str,
    org_id: str,
    *,
    page: int | Unset = 1,
    include_queues: bool | Unset = UNSET,
    account_id: str,
) -> dict[str, Any]:
    headers: dict[str, Any] = {}
    headers["accountId"] = account_id

    params: dict[str, Any] = {}

    params["page"] = page

    params["includeQueues"] = include_queues

    params = {k: v for k, v in params.items() if v is not UNSET and v is not None}

    _kwargs: dict[str, Any] = {
        "method": "get",
        "url": "/agentassist/api/v1/public/{stream_id}/organizations/{org_id}/agents".format(
            stream_id=quote(str(stream_id), safe=""),
            org_id=quote(str(org_id), safe=""),
        ),
        "params": params,
    }

    _kwargs["headers"] = headers
    return _kwargs


def _parse_response(
    *, client: AuthenticatedClient | Client, response: httpx.Response
) -> ListHumanAgentsResult | Refusal | None:
    if response.status_code == 200:
        response_200 = ListHumanAgentsResult.from_dict(response.json())

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
) -> Response[ListHumanAgentsResult | Refusal]:
    return Response(
        status_code=HTTPStatus(response.status_code),
        content=response.content,
        headers=response.headers,
        parsed=_parse_response(client=client, response=response),
    )


def sync_detailed(
    stream_id: str,
    org_id: str,
    *,
    client: AuthenticatedClient,
    page: int | Unset = 1,
    include_queues: bool | Unset = UNSET,
    account_id: str,
) -> Response[ListHumanAgentsResult | Refusal]:
    """List the human agents of an organisation by name, 50 a page

     A page past the last one is empty.

    Args:
        stream_id (str):
        org_id (str):
        page (int | Unset):  Default: 1.
        include_queues (bool | Unset):
        account_id (str):

    Raises:
        errors.UnexpectedStatus: If the server returns an undocumented status code and Client.raise_on_unexpected_status is True.
        httpx.TimeoutException: If the request takes longer than Client.timeout.

    Returns:
        Response[ListHumanAgentsResult | Refusal]
    """

    kwargs = _get_kwargs(
        stream_id=stream_id,
        org_id=org_id,
        page=page,
        include_queues=include_queues,
        account_id=account_id,
    )

    response = client.get_httpx_client().request(
        **kwargs,
    )

    return _build_response(client=client, response=response)


def sync(
    stream_id: str,
    org_id: str,
    *,
    client: AuthenticatedClient,
    page: int | Unset = 1,
    include_queues: bool | Unset = UNSET,
    account_id: str,
) -> ListHumanAgentsResult | Refusal | None:
    """List the human agents of an organisation by name, 50 a page

     A page past the last one is empty.

    Args:
        stream_id (str):
        org_id (str):
        page (int | Unset):  Default: 1.
        include_queues (bool | Unset):
        account_id (str):

    Raises:
        errors.UnexpectedStatus: If the server returns an undocumented status code and Client.raise_on_unexpected_status is True.
        httpx.TimeoutException: If the request takes longer than Client.timeout.

    Returns:
        ListHumanAgentsResult | Refusal
    """

    return sync_detailed(
        stream_id=stream_id,
        org_id=org_id,
        client=client,
        page=page,
        include_queues=include_queues,
        account_id=account_id,
    ).parsed


async def asyncio_detailed(
    stream_id: str,
    org_id: str,
    *,
    client: AuthenticatedClient,
    page: int | Unset = 1,
    include_queues: bool | Unset = UNSET,
    account_id: str,
) -> Response[ListHumanAgentsResult | Refusal]:
    """List the human agents of an organisation by name, 50 a page

     A page past the last one is empty.

    Args:
        stream_id (str):
        org_id (str):
        page (int | Unset):  Default: 1.
        include_queues (bool | Unset):
        account_id (str):

    Raises:
        errors.UnexpectedStatus: If the server returns an undocumented status code and Client.raise_on_unexpected_status is True.
        httpx.TimeoutException: If the request takes longer than Client.timeout.

    Returns:
        Response[ListHumanAgentsResult | Refusal]
    """

    kwargs = _get_kwargs(
        stream_id=stream_id,
        org_id=org_id,
        page=page,
        include_queues=include_queues,
        account_id=account_id,
    )

    response = await client.get_async_httpx_client().request(**kwargs)

    return _build_response(client=client, response=response)


async def asyncio(
    stream_id: str,
    org_id: str,
    *,
    client: AuthenticatedClient,
    page: int | Unset = 1,
    include_queues: bool | Unset = UNSET,
    account_id: str,
) -> ListHumanAgentsResult | Refusal | None:
    """List the human agents of an organisation by name, 50 a page

     A page past the last one is empty.

    Args:
        stream_id (str):
        org_id (str):
        page (int | Unset):  Default: 1.
        include_queues (bool | Unset):
        account_id (str):

    Raises:
        errors.UnexpectedStatus: If the server returns an undocumented status code and Client.raise_on_unexpected_status is True.
        httpx.TimeoutException: If the request takes longer than Client.timeout.

    Returns:
        ListHumanAgentsResult | Refusal
    """

    return (
        await asyncio_detailed(
            stream_id=stream_id,
            org_id=org_id,
            client=client,
            page=page,
            include_queues=include_queues,
            account_id=account_id,
        )
    ).parsed
