from http import HTTPStatus
from typing import Any
from urllib.parse import quote

import httpx

from ... import errors
from ...client import AuthenticatedClient, Client
from ...models.refusal import Refusal
from ...types import UNSET, Response, Unset


def _get_kwargs(
    project_id: str,
    id: str,
    *,
    last_event_id: str | Unset = UNSET,
) -> dict[str, Any]:
    headers: dict[str, Any] = {}
    if not isinstance(last_event_id, Unset):
        headers["Last-Event-ID"] = last_event_id

    _kwargs: dict[str, Any] = {
        "method": "get",
        "url": "/api/projects/{project_id}/sessions/{id}/stream".format(
            project_id=quote(str(project_id), safe=""),
            id=quote(str(id), safe=""),
        ),
    }

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

    if response.status_code == 410:
        response_410 = Refusal.from_dict(response.json())

        return response_410

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
    project_id: str,
    id: str,
    *,
    client: AuthenticatedClient,
    last_event_id: str | Unset = UNSET,
) -> Response[Refusal | str]:
    """Follow what happens in a session, as Server-Sent Events

     From its beginning, or behind Last-Event-ID: nothing is missed and nothing comes twice, on any node.
    Each event has `id` (its position in the session's stream), `event` (its type) and `data` on one
    line: id, type, version, time, actor and data, as list-events shows them. What is personal is
    `[sealed]` without the permission personal:read. A comment comes every 15 seconds. The stream goes
    on behind the session's end, and ends when the credential does or the node stops.

    Args:
        project_id (str):
        id (str):
        last_event_id (str | Unset):

    Raises:
        errors.UnexpectedStatus: If the server returns an undocumented status code and Client.raise_on_unexpected_status is True.
        httpx.TimeoutException: If the request takes longer than Client.timeout.

    Returns:
        Response[Refusal | str]
    """

    kwargs = _get_kwargs(
        project_id=project_id,
        id=id,
        last_event_id=last_event_id,
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
    last_event_id: str | Unset = UNSET,
) -> Refusal | str | None:
    """Follow what happens in a session, as Server-Sent Events

     From its beginning, or behind Last-Event-ID: nothing is missed and nothing comes twice, on any node.
    Each event has `id` (its position in the session's stream), `event` (its type) and `data` on one
    line: id, type, version, time, actor and data, as list-events shows them. What is personal is
    `[sealed]` without the permission personal:read. A comment comes every 15 seconds. The stream goes
    on behind the session's end, and ends when the credential does or the node stops.

    Args:
        project_id (str):
        id (str):
        last_event_id (str | Unset):

    Raises:
        errors.UnexpectedStatus: If the server returns an undocumented status code and Client.raise_on_unexpected_status is True.
        httpx.TimeoutException: If the request takes longer than Client.timeout.

    Returns:
        Refusal | str
    """

    return sync_detailed(
        project_id=project_id,
        id=id,
        client=client,
        last_event_id=last_event_id,
    ).parsed


async def asyncio_detailed(
    project_id: str,
    id: str,
    *,
    client: AuthenticatedClient,
    last_event_id: str | Unset = UNSET,
) -> Response[Refusal | str]:
    """Follow what happens in a session, as Server-Sent Events

     From its beginning, or behind Last-Event-ID: nothing is missed and nothing comes twice, on any node.
    Each event has `id` (its position in the session's stream), `event` (its type) and `data` on one
    line: id, type, version, time, actor and data, as list-events shows them. What is personal is
    `[sealed]` without the permission personal:read. A comment comes every 15 seconds. The stream goes
    on behind the session's end, and ends when the credential does or the node stops.

    Args:
        project_id (str):
        id (str):
        last_event_id (str | Unset):

    Raises:
        errors.UnexpectedStatus: If the server returns an undocumented status code and Client.raise_on_unexpected_status is True.
        httpx.TimeoutException: If the request takes longer than Client.timeout.

    Returns:
        Response[Refusal | str]
    """

    kwargs = _get_kwargs(
        project_id=project_id,
        id=id,
        last_event_id=last_event_id,
    )

    response = await client.get_async_httpx_client().request(**kwargs)

    return _build_response(client=client, response=response)


async def asyncio(
    project_id: str,
    id: str,
    *,
    client: AuthenticatedClient,
    last_event_id: str | Unset = UNSET,
) -> Refusal | str | None:
    """Follow what happens in a session, as Server-Sent Events

     From its beginning, or behind Last-Event-ID: nothing is missed and nothing comes twice, on any node.
    Each event has `id` (its position in the session's stream), `event` (its type) and `data` on one
    line: id, type, version, time, actor and data, as list-events shows them. What is personal is
    `[sealed]` without the permission personal:read. A comment comes every 15 seconds. The stream goes
    on behind the session's end, and ends when the credential does or the node stops.

    Args:
        project_id (str):
        id (str):
        last_event_id (str | Unset):

    Raises:
        errors.UnexpectedStatus: If the server returns an undocumented status code and Client.raise_on_unexpected_status is True.
        httpx.TimeoutException: If the request takes longer than Client.timeout.

    Returns:
        Refusal | str
    """

    return (
        await asyncio_detailed(
            project_id=project_id,
            id=id,
            client=client,
            last_event_id=last_event_id,
        )
    ).parsed
