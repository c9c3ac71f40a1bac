from http import HTTPStatus
from typing import Any

import httpx

from ... import errors
from ...client import AuthenticatedClient, Client
from ...models.list_events_order import ListEventsOrder
from ...models.list_events_result import ListEventsResult
from ...models.refusal import Refusal
from ...types import UNSET, Response, Unset


def _get_kwargs(
    *,
    stream: str | Unset = UNSET,
    type_: str | Unset = UNSET,
    category: str | Unset = UNSET,
    since: str | Unset = UNSET,
    correlation: str | Unset = UNSET,
    until: str | Unset = UNSET,
    order: ListEventsOrder | Unset = ListEventsOrder.ASC,
    limit: int | Unset = 50,
    cursor: str | Unset = UNSET,
) -> dict[str, Any]:
    params: dict[str, Any] = {}

    params["stream"] = stream

    params["type"] = type_

    params["category"] = category

    params["since"] = since

    params["correlation"] = correlation

    params["until"] = until

    json_order: str | Unset = UNSET
    if not isinstance(order, Unset):
        json_order = order.value

    params["order"] = json_order

    params["limit"] = limit

    params["cursor"] = cursor

    params = {k: v for k, v in params.items() if v is not UNSET and v is not None}

    _kwargs: dict[str, Any] = {
        "method": "get",
        "url": "/api/v1/events",
        "params": params,
    }

    return _kwargs


def _parse_response(
    *, client: AuthenticatedClient | Client, response: httpx.Response
) -> ListEventsResult | Refusal | None:
    if response.status_code == 200:
        response_200 = ListEventsResult.from_dict(response.json())

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
) -> Response[ListEventsResult | Refusal]:
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
    until: str | Unset = UNSET,
    order: ListEventsOrder | Unset = ListEventsOrder.ASC,
    limit: int | Unset = 50,
    cursor: str | Unset = UNSET,
) -> Response[ListEventsResult | Refusal]:
    """List what happened in the account: every event that counts, oldest first

     Events of one stream are in the order of their versions, events of one partition in that of their
    offsets; between partitions the order is by time. Pages go by offsets: whatever is written
    meanwhile, following nextCursor misses nothing and gives nothing twice. A page with a nextCursor may
    hold fewer events than limit, even none.

    Args:
        stream (str | Unset):
        type_ (str | Unset):
        category (str | Unset):
        since (str | Unset):
        correlation (str | Unset):
        until (str | Unset):
        order (ListEventsOrder | Unset):  Default: ListEventsOrder.ASC.
        limit (int | Unset):  Default: 50.
        cursor (str | Unset):

    Raises:
        errors.UnexpectedStatus: If the server returns an undocumented status code and Client.raise_on_unexpected_status is True.
        httpx.TimeoutException: If the request takes longer than Client.timeout.

    Returns:
        Response[ListEventsResult | Refusal]
    """

    kwargs = _get_kwargs(
        stream=stream,
        type_=type_,
        category=category,
        since=since,
        correlation=correlation,
        until=until,
        order=order,
        limit=limit,
        cursor=cursor,
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
    until: str | Unset = UNSET,
    order: ListEventsOrder | Unset = ListEventsOrder.ASC,
    limit: int | Unset = 50,
    cursor: str | Unset = UNSET,
) -> ListEventsResult | Refusal | None:
    """List what happened in the account: every event that counts, oldest first

     Events of one stream are in the order of their versions, events of one partition in that of their
    offsets; between partitions the order is by time. Pages go by offsets: whatever is written
    meanwhile, following nextCursor misses nothing and gives nothing twice. A page with a nextCursor may
    hold fewer events than limit, even none.

    Args:
        stream (str | Unset):
        type_ (str | Unset):
        category (str | Unset):
        since (str | Unset):
        correlation (str | Unset):
        until (str | Unset):
        order (ListEventsOrder | Unset):  Default: ListEventsOrder.ASC.
        limit (int | Unset):  Default: 50.
        cursor (str | Unset):

    Raises:
        errors.UnexpectedStatus: If the server returns an undocumented status code and Client.raise_on_unexpected_status is True.
        httpx.TimeoutException: If the request takes longer than Client.timeout.

    Returns:
        ListEventsResult | Refusal
    """

    return sync_detailed(
        client=client,
        stream=stream,
        type_=type_,
        category=category,
        since=since,
        correlation=correlation,
        until=until,
        order=order,
        limit=limit,
        cursor=cursor,
    ).parsed


async def asyncio_detailed(
    *,
    client: AuthenticatedClient,
    stream: str | Unset = UNSET,
    type_: str | Unset = UNSET,
    category: str | Unset = UNSET,
    since: str | Unset = UNSET,
    correlation: str | Unset = UNSET,
    until: str | Unset = UNSET,
    order: ListEventsOrder | Unset = ListEventsOrder.ASC,
    limit: int | Unset = 50,
    cursor: str | Unset = UNSET,
) -> Response[ListEventsResult | Refusal]:
    """List what happened in the account: every event that counts, oldest first

     Events of one stream are in the order of their versions, events of one partition in that of their
    offsets; between partitions the order is by time. Pages go by offsets: whatever is written
    meanwhile, following nextCursor misses nothing and gives nothing twice. A page with a nextCursor may
    hold fewer events than limit, even none.

    Args:
        stream (str | Unset):
        type_ (str | Unset):
        category (str | Unset):
        since (str | Unset):
        correlation (str | Unset):
        until (str | Unset):
        order (ListEventsOrder | Unset):  Default: ListEventsOrder.ASC.
        limit (int | Unset):  Default: 50.
        cursor (str | Unset):

    Raises:
        errors.UnexpectedStatus: If the server returns an undocumented status code and Client.raise_on_unexpected_status is True.
        httpx.TimeoutException: If the request takes longer than Client.timeout.

    Returns:
        Response[ListEventsResult | Refusal]
    """

    kwargs = _get_kwargs(
        stream=stream,
        type_=type_,
        category=category,
        since=since,
        correlation=correlation,
        until=until,
        order=order,
        limit=limit,
        cursor=cursor,
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
    until: str | Unset = UNSET,
    order: ListEventsOrder | Unset = ListEventsOrder.ASC,
    limit: int | Unset = 50,
    cursor: str | Unset = UNSET,
) -> ListEventsResult | Refusal | None:
    """List what happened in the account: every event that counts, oldest first

     Events of one stream are in the order of their versions, events of one partition in that of their
    offsets; between partitions the order is by time. Pages go by offsets: whatever is written
    meanwhile, following nextCursor misses nothing and gives nothing twice. A page with a nextCursor may
    hold fewer events than limit, even none.

    Args:
        stream (str | Unset):
        type_ (str | Unset):
        category (str | Unset):
        since (str | Unset):
        correlation (str | Unset):
        until (str | Unset):
        order (ListEventsOrder | Unset):  Default: ListEventsOrder.ASC.
        limit (int | Unset):  Default: 50.
        cursor (str | Unset):

    Raises:
        errors.UnexpectedStatus: If the server returns an undocumented status code and Client.raise_on_unexpected_status is True.
        httpx.TimeoutException: If the request takes longer than Client.timeout.

    Returns:
        ListEventsResult | Refusal
    """

    return (
        await asyncio_detailed(
            client=client,
            stream=stream,
            type_=type_,
            category=category,
            since=since,
            correlation=correlation,
            until=until,
            order=order,
            limit=limit,
            cursor=cursor,
        )
    ).parsed
