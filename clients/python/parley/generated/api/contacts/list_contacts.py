from http import HTTPStatus
from typing import Any

import httpx

from ... import errors
from ...client import AuthenticatedClient, Client
from ...models.list_contacts_result import ListContactsResult
from ...models.list_contacts_type import ListContactsType
from ...models.refusal import Refusal
from ...types import UNSET, Response, Unset


def _get_kwargs(
    *,
    type_: ListContactsType | Unset = UNSET,
    channel: str | Unset = UNSET,
    limit: int | Unset = 50,
    offset: int | Unset = 0,
) -> dict[str, Any]:
    params: dict[str, Any] = {}

    json_type_: str | Unset = UNSET
    if not isinstance(type_, Unset):
        json_type_ = type_.value

    params["type"] = json_type_

    params["channel"] = channel

    params["limit"] = limit

    params["offset"] = offset

    params = {k: v for k, v in params.items() if v is not UNSET and v is not None}

    _kwargs: dict[str, Any] = {
        "method": "get",
        "url": "/api/contacts",
        "params": params,
    }

    return _kwargs


def _parse_response(
    *, client: AuthenticatedClient | Client, response: httpx.Response
) -> ListContactsResult | Refusal | None:
    if response.status_code == 200:
        response_200 = ListContactsResult.from_dict(response.json())

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
) -> Response[ListContactsResult | Refusal]:
    return Response(
        status_code=HTTPStatus(response.status_code),
        content=response.content,
        headers=response.headers,
        parsed=_parse_response(client=client, response=response),
    )


def sync_detailed(
    *,
    client: AuthenticatedClient,
    type_: ListContactsType | Unset = UNSET,
    channel: str | Unset = UNSET,
    limit: int | Unset = 50,
    offset: int | Unset = 0,
) -> Response[ListContactsResult | Refusal]:
    """List contacts, the newest first

     Of the whole account, of one type or one channel if it is named. `total` counts all that match.

    Args:
        type_ (ListContactsType | Unset):
        channel (str | Unset):
        limit (int | Unset):  Default: 50.
        offset (int | Unset):  Default: 0.

    Raises:
        errors.UnexpectedStatus: If the server returns an undocumented status code and Client.raise_on_unexpected_status is True.
        httpx.TimeoutException: If the request takes longer than Client.timeout.

    Returns:
        Response[ListContactsResult | Refusal]
    """

    kwargs = _get_kwargs(
        type_=type_,
        channel=channel,
        limit=limit,
        offset=offset,
    )

    response = client.get_httpx_client().request(
        **kwargs,
    )

    return _build_response(client=client, response=response)


def sync(
    *,
    client: AuthenticatedClient,
    type_: ListContactsType | Unset = UNSET,
    channel: str | Unset = UNSET,
    limit: int | Unset = 50,
    offset: int | Unset = 0,
) -> ListContactsResult | Refusal | None:
    """List contacts, the newest first

     Of the whole account, of one type or one channel if it is named. `total` counts all that match.

    Args:
        type_ (ListContactsType | Unset):
        channel (str | Unset):
        limit (int | Unset):  Default: 50.
        offset (int | Unset):  Default: 0.

    Raises:
        errors.UnexpectedStatus: If the server returns an undocumented status code and Client.raise_on_unexpected_status is True.
        httpx.TimeoutException: If the request takes longer than Client.timeout.

    Returns:
        ListContactsResult | Refusal
    """

    return sync_detailed(
        client=client,
        type_=type_,
        channel=channel,
        limit=limit,
        offset=offset,
    ).parsed


async def asyncio_detailed(
    *,
    client: AuthenticatedClient,
    type_: ListContactsType | Unset = UNSET,
    channel: str | Unset = UNSET,
    limit: int | Unset = 50,
    offset: int | Unset = 0,
) -> Response[ListContactsResult | Refusal]:
    """List contacts, the newest first

     Of the whole account, of one type or one channel if it is named. `total` counts all that match.

    Args:
        type_ (ListContactsType | Unset):
        channel (str | Unset):
        limit (int | Unset):  Default: 50.
        offset (int | Unset):  Default: 0.

    Raises:
        errors.UnexpectedStatus: If the server returns an undocumented status code and Client.raise_on_unexpected_status is True.
        httpx.TimeoutException: If the request takes longer than Client.timeout.

    Returns:
        Response[ListContactsResult | Refusal]
    """

    kwargs = _get_kwargs(
        type_=type_,
        channel=channel,
        limit=limit,
        offset=offset,
    )

    response = await client.get_async_httpx_client().request(**kwargs)

    return _build_response(client=client, response=response)


async def asyncio(
    *,
    client: AuthenticatedClient,
    type_: ListContactsType | Unset = UNSET,
    channel: str | Unset = UNSET,
    limit: int | Unset = 50,
    offset: int | Unset = 0,
) -> ListContactsResult | Refusal | None:
    """List contacts, the newest first

     Of the whole account, of one type or one channel if it is named. `total` counts all that match.

    Args:
        type_ (ListContactsType | Unset):
        channel (str | Unset):
        limit (int | Unset):  Default: 50.
        offset (int | Unset):  Default: 0.

    Raises:
        errors.UnexpectedStatus: If the server returns an undocumented status code and Client.raise_on_unexpected_status is True.
        httpx.TimeoutException: If the request takes longer than Client.timeout.

    Returns:
        ListContactsResult | Refusal
    """

    return (
        await asyncio_detailed(
            client=client,
            type_=type_,
            channel=channel,
            limit=limit,
            offset=offset,
        )
    ).parsed
