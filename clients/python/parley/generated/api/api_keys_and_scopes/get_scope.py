from http import HTTPStatus
from typing import Any
from urllib.parse import quote

import httpx

from ... import errors
from ...client import AuthenticatedClient, Client
from ...models.refusal import Refusal
from ...models.scope_result import ScopeResult
from ...types import Response


def _get_kwargs(
    app_id: str,
    scope_id: str,
) -> dict[str, Any]:
    _kwargs: dict[str, Any] = {
        "method": "get",
        "url": "/aaa/api/public/apps/{app_id}/scopes/{scope_id}".format(
            app_id=quote(str(app_id), safe=""),
            scope_id=quote(str(scope_id), safe=""),
        ),
    }

    return _kwargs


def _parse_response(
    *, client: AuthenticatedClient | Client, response: httpx.Response
) -> Refusal | ScopeResult | None:
    if response.status_code == 200:
        response_200 = ScopeResult.from_dict(response.json())

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
) -> Response[Refusal | ScopeResult]:
    return Response(
        status_code=HTTPStatus(response.status_code),
        content=response.content,
        headers=response.headers,
        parsed=_parse_response(client=client, response=response),
    )


def sync_detailed(
    app_id: str,
    scope_id: str,
    *,
    client: AuthenticatedClient,
) -> Response[Refusal | ScopeResult]:
    """Read a scope

     With a key of that scope only: a key of another scope of the app is refused, and to a key of another
    app the scope does not exist.

    Args:
        app_id (str):
        scope_id (str):

    Raises:
        errors.UnexpectedStatus: If the server returns an undocumented status code and Client.raise_on_unexpected_status is True.
        httpx.TimeoutException: If the request takes longer than Client.timeout.

    Returns:
        Response[Refusal | ScopeResult]
    """

    kwargs = _get_kwargs(
        app_id=app_id,
        scope_id=scope_id,
    )

    response = client.get_httpx_client().request(
        **kwargs,
    )

    return _build_response(client=client, response=response)


def sync(
    app_id: str,
    scope_id: str,
    *,
    client: AuthenticatedClient,
) -> Refusal | ScopeResult | None:
    """Read a scope

     With a key of that scope only: a key of another scope of the app is refused, and to a key of another
    app the scope does not exist.

    Args:
        app_id (str):
        scope_id (str):

    Raises:
        errors.UnexpectedStatus: If the server returns an undocumented status code and Client.raise_on_unexpected_status is True.
        httpx.TimeoutException: If the request takes longer than Client.timeout.

    Returns:
        Refusal | ScopeResult
    """

    return sync_detailed(
        app_id=app_id,
        scope_id=scope_id,
        client=client,
    ).parsed


async def asyncio_detailed(
    app_id: str,
    scope_id: str,
    *,
    client: AuthenticatedClient,
) -> Response[Refusal | ScopeResult]:
    """Read a scope

     With a key of that scope only: a key of another scope of the app is refused, and to a key of another
    app the scope does not exist.

    Args:
        app_id (str):
        scope_id (str):

    Raises:
        errors.UnexpectedStatus: If the server returns an undocumented status code and Client.raise_on_unexpected_status is True.
        httpx.TimeoutException: If the request takes longer than Client.timeout.

    Returns:
        Response[Refusal | ScopeResult]
    """

    kwargs = _get_kwargs(
        app_id=app_id,
        scope_id=scope_id,
    )

    response = await client.get_async_httpx_client().request(**kwargs)

    return _build_response(client=client, response=response)


async def asyncio(
    app_id: str,
    scope_id: str,
    *,
    client: AuthenticatedClient,
) -> Refusal | ScopeResult | None:
    """Read a scope

     With a key of that scope only: a key of another scope of the app is refused, and to a key of another
    app the scope does not exist.

    Args:
        app_id (str):
        scope_id (str):

    Raises:
        errors.UnexpectedStatus: If the server returns an undocumented status code and Client.raise_on_unexpected_status is True.
        httpx.TimeoutException: If the request takes longer than Client.timeout.

    Returns:
        Refusal | ScopeResult
    """

    return (
        await asyncio_detailed(
            app_id=app_id,
            scope_id=scope_id,
            client=client,
        )
    ).parsed
