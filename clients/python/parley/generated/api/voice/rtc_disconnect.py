from http import HTTPStatus
from typing import Any, cast
from urllib.parse import quote

import httpx

from ... import errors
from ...client import AuthenticatedClient, Client
from ...models.refusal import Refusal
from ...types import UNSET, Response, Unset


def _get_kwargs(
    call_id: str,
    *,
    idempotency_key: str | Unset = UNSET,
    authorization: str | Unset = UNSET,
) -> dict[str, Any]:
    headers: dict[str, Any] = {}
    if not isinstance(idempotency_key, Unset):
        headers["Idempotency-Key"] = idempotency_key

    if not isinstance(authorization, Unset):
        headers["Authorization"] = authorization

    _kwargs: dict[str, Any] = {
        "method": "delete",
        "url": "/api/v1/rtc/connect/{call_id}".format(
            call_id=quote(str(call_id), safe=""),
        ),
    }

    _kwargs["headers"] = headers
    return _kwargs


def _parse_response(
    *, client: AuthenticatedClient | Client, response: httpx.Response
) -> Any | Refusal | None:
    if response.status_code == 204:
        response_204 = cast(Any, None)
        return response_204

    if response.status_code == 400:
        response_400 = Refusal.from_dict(response.json())

        return response_400

    if response.status_code == 401:
        response_401 = Refusal.from_dict(response.json())

        return response_401

    if response.status_code == 404:
        response_404 = Refusal.from_dict(response.json())

        return response_404

    if response.status_code == 409:
        response_409 = Refusal.from_dict(response.json())

        return response_409

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
) -> Response[Any | Refusal]:
    return Response(
        status_code=HTTPStatus(response.status_code),
        content=response.content,
        headers=response.headers,
        parsed=_parse_response(client=client, response=response),
    )


def sync_detailed(
    call_id: str,
    *,
    client: AuthenticatedClient | Client,
    idempotency_key: str | Unset = UNSET,
    authorization: str | Unset = UNSET,
) -> Response[Any | Refusal]:
    """Hang up from a page

     At the address that rtc-connect gave in Location, with the token of the call, also when that is too
    old to make one. A call that is over stays as it is. Closing the connection does the same.

    Args:
        call_id (str):
        idempotency_key (str | Unset):
        authorization (str | Unset):

    Raises:
        errors.UnexpectedStatus: If the server returns an undocumented status code and Client.raise_on_unexpected_status is True.
        httpx.TimeoutException: If the request takes longer than Client.timeout.

    Returns:
        Response[Any | Refusal]
    """

    kwargs = _get_kwargs(
        call_id=call_id,
        idempotency_key=idempotency_key,
        authorization=authorization,
    )

    response = client.get_httpx_client().request(
        **kwargs,
    )

    return _build_response(client=client, response=response)


def sync(
    call_id: str,
    *,
    client: AuthenticatedClient | Client,
    idempotency_key: str | Unset = UNSET,
    authorization: str | Unset = UNSET,
) -> Any | Refusal | None:
    """Hang up from a page

     At the address that rtc-connect gave in Location, with the token of the call, also when that is too
    old to make one. A call that is over stays as it is. Closing the connection does the same.

    Args:
        call_id (str):
        idempotency_key (str | Unset):
        authorization (str | Unset):

    Raises:
        errors.UnexpectedStatus: If the server returns an undocumented status code and Client.raise_on_unexpected_status is True.
        httpx.TimeoutException: If the request takes longer than Client.timeout.

    Returns:
        Any | Refusal
    """

    return sync_detailed(
        call_id=call_id,
        client=client,
        idempotency_key=idempotency_key,
        authorization=authorization,
    ).parsed


async def asyncio_detailed(
    call_id: str,
    *,
    client: AuthenticatedClient | Client,
    idempotency_key: str | Unset = UNSET,
    authorization: str | Unset = UNSET,
) -> Response[Any | Refusal]:
    """Hang up from a page

     At the address that rtc-connect gave in Location, with the token of the call, also when that is too
    old to make one. A call that is over stays as it is. Closing the connection does the same.

    Args:
        call_id (str):
        idempotency_key (str | Unset):
        authorization (str | Unset):

    Raises:
        errors.UnexpectedStatus: If the server returns an undocumented status code and Client.raise_on_unexpected_status is True.
        httpx.TimeoutException: If the request takes longer than Client.timeout.

    Returns:
        Response[Any | Refusal]
    """

    kwargs = _get_kwargs(
        call_id=call_id,
        idempotency_key=idempotency_key,
        authorization=authorization,
    )

    response = await client.get_async_httpx_client().request(**kwargs)

    return _build_response(client=client, response=response)


async def asyncio(
    call_id: str,
    *,
    client: AuthenticatedClient | Client,
    idempotency_key: str | Unset = UNSET,
    authorization: str | Unset = UNSET,
) -> Any | Refusal | None:
    """Hang up from a page

     At the address that rtc-connect gave in Location, with the token of the call, also when that is too
    old to make one. A call that is over stays as it is. Closing the connection does the same.

    Args:
        call_id (str):
        idempotency_key (str | Unset):
        authorization (str | Unset):

    Raises:
        errors.UnexpectedStatus: If the server returns an undocumented status code and Client.raise_on_unexpected_status is True.
        httpx.TimeoutException: If the request takes longer than Client.timeout.

    Returns:
        Any | Refusal
    """

    return (
        await asyncio_detailed(
            call_id=call_id,
            client=client,
            idempotency_key=idempotency_key,
            authorization=authorization,
        )
    ).parsed
