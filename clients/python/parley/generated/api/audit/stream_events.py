from http import HTTPStatus
from typing import Any

import httpx

from ... import errors
from ...client import AuthenticatedClient, Client
from ...models.refusal import Refusal
from ...types import UNSET, Response, Unset


def _get_kwargs(
    *,
    stream: str | Unset = UNSET,
    type_: str | Unset = UNSET,
    category: str | Unset = UNSET,
    since: str | Unset = UNSET,
    correlation: str | Unset = UNSET,
    last_event_id_query: str | Unset = UNSET,
    last_event_id_header: str | Unset = UNSET,
) -> dict[str, Any]:
    headers: dict[str, Any] = {}
    if not isinstance(last_event_id_header, Unset):
        headers["Last-Event-ID"] = last_event_id_header

    params: dict[str, Any] = {}

    params["stream"] = stream

    params["type"] = type_

    params["category"] = category

    params["since"] = since

    params["correlation"] = correlation

    params["lastEventId"] = last_event_id_query

    params = {k: v for k, v in params.items() if v is not UNSET and v is not None}

    _kwargs: dict[str, Any] = {
        "method": "get",
        "url": "/api/v1/events/stream",
        "params": params,
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
    *,
    client: AuthenticatedClient,
    stream: str | Unset = UNSET,
    type_: str | Unset = UNSET,
    category: str | Unset = UNSET,
    since: str | Unset = UNSET,
    correlation: str | Unset = UNSET,
    last_event_id_query: str | Unset = UNSET,
    last_event_id_header: str | Unset = UNSET,
) -> Response[Refusal | str]:
    """Follow what happens in the account, as Server-Sent Events

     Each event has `id` (a position to go on from), `event` (its type) and `data` (the event as the list
    shows it, on one line). With Last-Event-ID the stream goes on exactly there: nothing is missed and
    nothing comes twice, on any node, after restarts, and after the read models were built anew. Without
    it the stream begins with what happens from now on, or with what happened since `since`. Events of
    one stream come in the order of their versions. A comment comes every 15 seconds; an id without data
    is a position to remember. The stream ends when the credential does, when the node stops, and when
    nothing is taken for 20 seconds; connect again with Last-Event-ID.

    Args:
        stream (str | Unset):
        type_ (str | Unset):
        category (str | Unset):
        since (str | Unset):
        correlation (str | Unset):
        last_event_id_query (str | Unset):
        last_event_id_header (str | Unset):

    Raises:
        errors.UnexpectedStatus: If the server returns an undocumented status code and Client.raise_on_unexpected_status is True.
        httpx.TimeoutException: If the request takes longer than Client.timeout.

    Returns:
        Response[Refusal | str]
    """

    kwargs = _get_kwargs(
        stream=stream,
        type_=type_,
        category=category,
        since=since,
        correlation=correlation,
        last_event_id_query=last_event_id_query,
        last_event_id_header=last_event_id_header,
    )

    response = client.get_httpx_client().request(
        **kwargs,
    )

    return _build_response(client=client, response=response)


def sync(
    *,
    client: AuthenticatedClient,
    stream: str | Unset = UNSET,
    type_: str | Unset = UNSET,
    category: str | Unset = UNSET,
    since: str | Unset = UNSET,
    correlation: str | Unset = UNSET,
    last_event_id_query: str | Unset = UNSET,
    last_event_id_header: str | Unset = UNSET,
) -> Refusal | str | None:
    """Follow what happens in the account, as Server-Sent Events

     Each event has `id` (a position to go on from), `event` (its type) and `data` (the event as the list
    shows it, on one line). With Last-Event-ID the stream goes on exactly there: nothing is missed and
    nothing comes twice, on any node, after restarts, and after the read models were built anew. Without
    it the stream begins with what happens from now on, or with what happened since `since`. Events of
    one stream come in the order of their versions. A comment comes every 15 seconds; an id without data
    is a position to remember. The stream ends when the credential does, when the node stops, and when
    nothing is taken for 20 seconds; connect again with Last-Event-ID.

    Args:
        stream (str | Unset):
        type_ (str | Unset):
        category (str | Unset):
        since (str | Unset):
        correlation (str | Unset):
        last_event_id_query (str | Unset):
        last_event_id_header (str | Unset):

    Raises:
        errors.UnexpectedStatus: If the server returns an undocumented status code and Client.raise_on_unexpected_status is True.
        httpx.TimeoutException: If the request takes longer than Client.timeout.

    Returns:
        Refusal | str
    """

    return sync_detailed(
        client=client,
        stream=stream,
        type_=type_,
        category=category,
        since=since,
        correlation=correlation,
        last_event_id_query=last_event_id_query,
        last_event_id_header=last_event_id_header,
    ).parsed


async def asyncio_detailed(
    *,
    client: AuthenticatedClient,
    stream: str | Unset = UNSET,
    type_: str | Unset = UNSET,
    category: str | Unset = UNSET,
    since: str | Unset = UNSET,
    correlation: str | Unset = UNSET,
    last_event_id_query: str | Unset = UNSET,
    last_event_id_header: str | Unset = UNSET,
) -> Response[Refusal | str]:
    """Follow what happens in the account, as Server-Sent Events

     Each event has `id` (a position to go on from), `event` (its type) and `data` (the event as the list
    shows it, on one line). With Last-Event-ID the stream goes on exactly there: nothing is missed and
    nothing comes twice, on any node, after restarts, and after the read models were built anew. Without
    it the stream begins with what happens from now on, or with what happened since `since`. Events of
    one stream come in the order of their versions. A comment comes every 15 seconds; an id without data
    is a position to remember. The stream ends when the credential does, when the node stops, and when
    nothing is taken for 20 seconds; connect again with Last-Event-ID.

    Args:
        stream (str | Unset):
        type_ (str | Unset):
        category (str | Unset):
        since (str | Unset):
        correlation (str | Unset):
        last_event_id_query (str | Unset):
        last_event_id_header (str | Unset):

    Raises:
        errors.UnexpectedStatus: If the server returns an undocumented status code and Client.raise_on_unexpected_status is True.
        httpx.TimeoutException: If the request takes longer than Client.timeout.

    Returns:
        Response[Refusal | str]
    """

    kwargs = _get_kwargs(
        stream=stream,
        type_=type_,
        category=category,
        since=since,
        correlation=correlation,
        last_event_id_query=last_event_id_query,
        last_event_id_header=last_event_id_header,
    )

    response = await client.get_async_httpx_client().request(**kwargs)

    return _build_response(client=client, response=response)


async def asyncio(
    *,
    client: AuthenticatedClient,
    stream: str | Unset = UNSET,
    type_: str | Unset = UNSET,
    category: str | Unset = UNSET,
    since: str | Unset = UNSET,
    correlation: str | Unset = UNSET,
    last_event_id_query: str | Unset = UNSET,
    last_event_id_header: str | Unset = UNSET,
) -> Refusal | str | None:
    """Follow what happens in the account, as Server-Sent Events

     Each event has `id` (a position to go on from), `event` (its type) and `data` (the event as the list
    shows it, on one line). With Last-Event-ID the stream goes on exactly there: nothing is missed and
    nothing comes twice, on any node, after restarts, and after the read models were built anew. Without
    it the stream begins with what happens from now on, or with what happened since `since`. Events of
    one stream come in the order of their versions. A comment comes every 15 seconds; an id without data
    is a position to remember. The stream ends when the credential does, when the node stops, and when
    nothing is taken for 20 seconds; connect again with Last-Event-ID.

    Args:
        stream (str | Unset):
        type_ (str | Unset):
        category (str | Unset):
        since (str | Unset):
        correlation (str | Unset):
        last_event_id_query (str | Unset):
        last_event_id_header (str | Unset):

    Raises:
        errors.UnexpectedStatus: If the server returns an undocumented status code and Client.raise_on_unexpected_status is True.
        httpx.TimeoutException: If the request takes longer than Client.timeout.

    Returns:
        Refusal | str
    """

    return (
        await asyncio_detailed(
            client=client,
            stream=stream,
            type_=type_,
            category=category,
            since=since,
            correlation=correlation,
            last_event_id_query=last_event_id_query,
            last_event_id_header=last_event_id_header,
        )
    ).parsed
