from http import HTTPStatus
from typing import Any
from urllib.parse import quote

import httpx

from ... import errors
from ...client import AuthenticatedClient, Client
from ...models.list_channel_deliveries_status import ListChannelDeliveriesStatus
from ...models.list_deliveries_result import ListDeliveriesResult
from ...models.refusal import Refusal
from ...types import UNSET, Response, Unset


def _get_kwargs(
    project_id: str,
    id: str,
    *,
    status: ListChannelDeliveriesStatus | Unset = UNSET,
    session_id: str | Unset = UNSET,
    limit: int | Unset = 50,
    offset: int | Unset = 0,
) -> dict[str, Any]:
    params: dict[str, Any] = {}

    json_status: str | Unset = UNSET
    if not isinstance(status, Unset):
        json_status = status.value

    params["status"] = json_status

    params["sessionId"] = session_id

    params["limit"] = limit

    params["offset"] = offset

    params = {k: v for k, v in params.items() if v is not UNSET and v is not None}

    _kwargs: dict[str, Any] = {
        "method": "get",
        "url": "/api/projects/{project_id}/channel-connections/{id}/deliveries".format(
            project_id=quote(str(project_id), safe=""),
            id=quote(str(id), safe=""),
        ),
        "params": params,
    }

    return _kwargs


def _parse_response(
    *, client: AuthenticatedClient | Client, response: httpx.Response
) -> ListDeliveriesResult | Refusal | None:
    if response.status_code == 200:
        response_200 = ListDeliveriesResult.from_dict(response.json())

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
) -> Response[ListDeliveriesResult | Refusal]:
    return Response(
        status_code=HTTPStatus(response.status_code),
        content=response.content,
        headers=response.headers,
        parsed=_parse_response(client=client, response=response),
    )


def sync_detailed(
    project_id: str,
    id: str,
    *,
    client: AuthenticatedClient,
    status: ListChannelDeliveriesStatus | Unset = UNSET,
    session_id: str | Unset = UNSET,
    limit: int | Unset = 50,
    offset: int | Unset = 0,
) -> Response[ListDeliveriesResult | Refusal]:
    """List what was said back by a connection, the newest first

     Without its words, which the transcript of the session has.

    Args:
        project_id (str):
        id (str):
        status (ListChannelDeliveriesStatus | Unset):
        session_id (str | Unset):
        limit (int | Unset):  Default: 50.
        offset (int | Unset):  Default: 0.

    Raises:
        errors.UnexpectedStatus: If the server returns an undocumented status code and Client.raise_on_unexpected_status is True.
        httpx.TimeoutException: If the request takes longer than Client.timeout.

    Returns:
        Response[ListDeliveriesResult | Refusal]
    """

    kwargs = _get_kwargs(
        project_id=project_id,
        id=id,
        status=status,
        session_id=session_id,
        limit=limit,
        offset=offset,
    )

    response = client.get_httpx_client().request(
        **kwargs,
    )

    return _build_response(client=client, response=response)


def sync(
    project_id: str,
    id: str,
    *,
    client: AuthenticatedClient,
    status: ListChannelDeliveriesStatus | Unset = UNSET,
    session_id: str | Unset = UNSET,
    limit: int | Unset = 50,
    offset: int | Unset = 0,
) -> ListDeliveriesResult | Refusal | None:
    """List what was said back by a connection, the newest first

     Without its words, which the transcript of the session has.

    Args:
        project_id (str):
        id (str):
        status (ListChannelDeliveriesStatus | Unset):
        session_id (str | Unset):
        limit (int | Unset):  Default: 50.
        offset (int | Unset):  Default: 0.

    Raises:
        errors.UnexpectedStatus: If the server returns an undocumented status code and Client.raise_on_unexpected_status is True.
        httpx.TimeoutException: If the request takes longer than Client.timeout.

    Returns:
        ListDeliveriesResult | Refusal
    """

    return sync_detailed(
        project_id=project_id,
        id=id,
        client=client,
        status=status,
        session_id=session_id,
        limit=limit,
        offset=offset,
    ).parsed


async def asyncio_detailed(
    project_id: str,
    id: str,
    *,
    client: AuthenticatedClient,
    status: ListChannelDeliveriesStatus | Unset = UNSET,
    session_id: str | Unset = UNSET,
    limit: int | Unset = 50,
    offset: int | Unset = 0,
) -> Response[ListDeliveriesResult | Refusal]:
    """List what was said back by a connection, the newest first

     Without its words, which the transcript of the session has.

    Args:
        project_id (str):
        id (str):
        status (ListChannelDeliveriesStatus | Unset):
        session_id (str | Unset):
        limit (int | Unset):  Default: 50.
        offset (int | Unset):  Default: 0.

    Raises:
        errors.UnexpectedStatus: If the server returns an undocumented status code and Client.raise_on_unexpected_status is True.
        httpx.TimeoutException: If the request takes longer than Client.timeout.

    Returns:
        Response[ListDeliveriesResult | Refusal]
    """

    kwargs = _get_kwargs(
        project_id=project_id,
        id=id,
        status=status,
        session_id=session_id,
        limit=limit,
        offset=offset,
    )

    response = await client.get_async_httpx_client().request(**kwargs)

    return _build_response(client=client, response=response)


async def asyncio(
    project_id: str,
    id: str,
    *,
    client: AuthenticatedClient,
    status: ListChannelDeliveriesStatus | Unset = UNSET,
    session_id: str | Unset = UNSET,
    limit: int | Unset = 50,
    offset: int | Unset = 0,
) -> ListDeliveriesResult | Refusal | None:
    """List what was said back by a connection, the newest first

     Without its words, which the transcript of the session has.

    Args:
        project_id (str):
        id (str):
        status (ListChannelDeliveriesStatus | Unset):
        session_id (str | Unset):
        limit (int | Unset):  Default: 50.
        offset (int | Unset):  Default: 0.

    Raises:
        errors.UnexpectedStatus: If the server returns an undocumented status code and Client.raise_on_unexpected_status is True.
        httpx.TimeoutException: If the request takes longer than Client.timeout.

    Returns:
        ListDeliveriesResult | Refusal
    """

    return (
        await asyncio_detailed(
            project_id=project_id,
            id=id,
            client=client,
            status=status,
            session_id=session_id,
            limit=limit,
            offset=offset,
        )
    ).parsed
