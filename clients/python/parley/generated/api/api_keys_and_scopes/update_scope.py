from http import HTTPStatus
from typing import Any
from urllib.parse import quote

import httpx

from ... import errors
from ...client import AuthenticatedClient, Client
from ...models.refusal import Refusal
from ...models.scope_result import ScopeResult
from ...models.update_scope_request import UpdateScopeRequest
from ...types import UNSET, Response, Unset


def _get_kwargs(
    app_id: str,
    scope_id: str,
    *,
    body: UpdateScopeRequest,
    idempotency_key: str | Unset = UNSET,
) -> dict[str, Any]:
    headers: dict[str, Any] = {}
    if not isinstance(idempotency_key, Unset):
        headers["Idempotency-Key"] = idempotency_key

    _kwargs: dict[str, Any] = {
        "method": "put",
        "url": "/aaa/api/public/apps/{app_id}/scopes/{scope_id}".format(
            app_id=quote(str(app_id), safe=""),
            scope_id=quote(str(scope_id), safe=""),
        ),
    }

    _kwargs["json"] = body.to_dict()

    headers["Content-Type"] = "application/json"

    _kwargs["headers"] = headers
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
    body: UpdateScopeRequest,
    idempotency_key: str | Unset = UNSET,
) -> Response[Refusal | ScopeResult]:
    """Change permissions of a scope

     Sets the permissions that are listed and leaves the others; takes effect on all keys of the scope at
    once, on the calling one too. A key can take permissions away from its scope, and give back those
    that the Scope manifest says; to give others (403) is done with the manifest. If a name is unknown
    or a value is neither YES nor NO, nothing is changed.

    Args:
        app_id (str):
        scope_id (str):
        idempotency_key (str | Unset):
        body (UpdateScopeRequest):

    Raises:
        errors.UnexpectedStatus: If the server returns an undocumented status code and Client.raise_on_unexpected_status is True.
        httpx.TimeoutException: If the request takes longer than Client.timeout.

    Returns:
        Response[Refusal | ScopeResult]
    """

    kwargs = _get_kwargs(
        app_id=app_id,
        scope_id=scope_id,
        body=body,
        idempotency_key=idempotency_key,
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
    body: UpdateScopeRequest,
    idempotency_key: str | Unset = UNSET,
) -> Refusal | ScopeResult | None:
    """Change permissions of a scope

     Sets the permissions that are listed and leaves the others; takes effect on all keys of the scope at
    once, on the calling one too. A key can take permissions away from its scope, and give back those
    that the Scope manifest says; to give others (403) is done with the manifest. If a name is unknown
    or a value is neither YES nor NO, nothing is changed.

    Args:
        app_id (str):
        scope_id (str):
        idempotency_key (str | Unset):
        body (UpdateScopeRequest):

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
        body=body,
        idempotency_key=idempotency_key,
    ).parsed


async def asyncio_detailed(
    app_id: str,
    scope_id: str,
    *,
    client: AuthenticatedClient,
    body: UpdateScopeRequest,
    idempotency_key: str | Unset = UNSET,
) -> Response[Refusal | ScopeResult]:
    """Change permissions of a scope

     Sets the permissions that are listed and leaves the others; takes effect on all keys of the scope at
    once, on the calling one too. A key can take permissions away from its scope, and give back those
    that the Scope manifest says; to give others (403) is done with the manifest. If a name is unknown
    or a value is neither YES nor NO, nothing is changed.

    Args:
        app_id (str):
        scope_id (str):
        idempotency_key (str | Unset):
        body (UpdateScopeRequest):

    Raises:
        errors.UnexpectedStatus: If the server returns an undocumented status code and Client.raise_on_unexpected_status is True.
        httpx.TimeoutException: If the request takes longer than Client.timeout.

    Returns:
        Response[Refusal | ScopeResult]
    """

    kwargs = _get_kwargs(
        app_id=app_id,
        scope_id=scope_id,
        body=body,
        idempotency_key=idempotency_key,
    )

    response = await client.get_async_httpx_client().request(**kwargs)

    return _build_response(client=client, response=response)


async def asyncio(
    app_id: str,
    scope_id: str,
    *,
    client: AuthenticatedClient,
    body: UpdateScopeRequest,
    idempotency_key: str | Unset = UNSET,
) -> Refusal | ScopeResult | None:
    """Change permissions of a scope

     Sets the permissions that are listed and leaves the others; takes effect on all keys of the scope at
    once, on the calling one too. A key can take permissions away from its scope, and give back those
    that the Scope manifest says; to give others (403) is done with the manifest. If a name is unknown
    or a value is neither YES nor NO, nothing is changed.

    Args:
        app_id (str):
        scope_id (str):
        idempotency_key (str | Unset):
        body (UpdateScopeRequest):

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
            body=body,
            idempotency_key=idempotency_key,
        )
    ).parsed
