from http import HTTPStatus
from typing import Any
from urllib.parse import quote

import httpx

from ... import errors
from ...client import AuthenticatedClient, Client
from ...models.create_key_request import CreateKeyRequest
from ...models.create_key_result import CreateKeyResult
from ...models.refusal import Refusal
from ...types import UNSET, Response, Unset


def _get_kwargs(
    app_id: str,
    *,
    body: CreateKeyRequest,
    idempotency_key: str | Unset = UNSET,
) -> dict[str, Any]:
    headers: dict[str, Any] = {}
    if not isinstance(idempotency_key, Unset):
        headers["Idempotency-Key"] = idempotency_key

    _kwargs: dict[str, Any] = {
        "method": "post",
        "url": "/aaa/api/public/apps/{app_id}/apikeys/create".format(
            app_id=quote(str(app_id), safe=""),
        ),
    }

    _kwargs["json"] = body.to_dict()

    headers["Content-Type"] = "application/json"

    _kwargs["headers"] = headers
    return _kwargs


def _parse_response(
    *, client: AuthenticatedClient | Client, response: httpx.Response
) -> CreateKeyResult | Refusal | None:
    if response.status_code == 201:
        response_201 = CreateKeyResult.from_dict(response.json())

        return response_201

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
) -> Response[CreateKeyResult | Refusal]:
    return Response(
        status_code=HTTPStatus(response.status_code),
        content=response.content,
        headers=response.headers,
        parsed=_parse_response(client=client, response=response),
    )


def sync_detailed(
    app_id: str,
    *,
    client: AuthenticatedClient,
    body: CreateKeyRequest,
    idempotency_key: str | Unset = UNSET,
) -> Response[CreateKeyResult | Refusal]:
    """Create an API key in a scope

     The answer is the only one that ever shows the secret. Repeated with the same Idempotency-Key it
    names the same key_id, without apikey. A name is unique among the existing keys of its scope; a
    scope has at most 50 keys unless configured otherwise, and refuses more with LIMIT_REACHED until one
    is revoked. The scope must not permit what the calling key's own does not (403). Where no API key is
    sent, the token of an operator, whose accountId names the tenant, or of a client that administers
    makes the key: so an app gets its first one (extension).

    Args:
        app_id (str):
        idempotency_key (str | Unset):
        body (CreateKeyRequest):

    Raises:
        errors.UnexpectedStatus: If the server returns an undocumented status code and Client.raise_on_unexpected_status is True.
        httpx.TimeoutException: If the request takes longer than Client.timeout.

    Returns:
        Response[CreateKeyResult | Refusal]
    """

    kwargs = _get_kwargs(
        app_id=app_id,
        body=body,
        idempotency_key=idempotency_key,
    )

    response = client.get_httpx_client().request(
        **kwargs,
    )

    return _build_response(client=client, response=response)


def sync(
    app_id: str,
    *,
    client: AuthenticatedClient,
    body: CreateKeyRequest,
    idempotency_key: str | Unset = UNSET,
) -> CreateKeyResult | Refusal | None:
    """Create an API key in a scope

     The answer is the only one that ever shows the secret. Repeated with the same Idempotency-Key it
    names the same key_id, without apikey. A name is unique among the existing keys of its scope; a
    scope has at most 50 keys unless configured otherwise, and refuses more with LIMIT_REACHED until one
    is revoked. The scope must not permit what the calling key's own does not (403). Where no API key is
    sent, the token of an operator, whose accountId names the tenant, or of a client that administers
    makes the key: so an app gets its first one (extension).

    Args:
        app_id (str):
        idempotency_key (str | Unset):
        body (CreateKeyRequest):

    Raises:
        errors.UnexpectedStatus: If the server returns an undocumented status code and Client.raise_on_unexpected_status is True.
        httpx.TimeoutException: If the request takes longer than Client.timeout.

    Returns:
        CreateKeyResult | Refusal
    """

    return sync_detailed(
        app_id=app_id,
        client=client,
        body=body,
        idempotency_key=idempotency_key,
    ).parsed


async def asyncio_detailed(
    app_id: str,
    *,
    client: AuthenticatedClient,
    body: CreateKeyRequest,
    idempotency_key: str | Unset = UNSET,
) -> Response[CreateKeyResult | Refusal]:
    """Create an API key in a scope

     The answer is the only one that ever shows the secret. Repeated with the same Idempotency-Key it
    names the same key_id, without apikey. A name is unique among the existing keys of its scope; a
    scope has at most 50 keys unless configured otherwise, and refuses more with LIMIT_REACHED until one
    is revoked. The scope must not permit what the calling key's own does not (403). Where no API key is
    sent, the token of an operator, whose accountId names the tenant, or of a client that administers
    makes the key: so an app gets its first one (extension).

    Args:
        app_id (str):
        idempotency_key (str | Unset):
        body (CreateKeyRequest):

    Raises:
        errors.UnexpectedStatus: If the server returns an undocumented status code and Client.raise_on_unexpected_status is True.
        httpx.TimeoutException: If the request takes longer than Client.timeout.

    Returns:
        Response[CreateKeyResult | Refusal]
    """

    kwargs = _get_kwargs(
        app_id=app_id,
        body=body,
        idempotency_key=idempotency_key,
    )

    response = await client.get_async_httpx_client().request(**kwargs)

    return _build_response(client=client, response=response)


async def asyncio(
    app_id: str,
    *,
    client: AuthenticatedClient,
    body: CreateKeyRequest,
    idempotency_key: str | Unset = UNSET,
) -> CreateKeyResult | Refusal | None:
    """Create an API key in a scope

     The answer is the only one that ever shows the secret. Repeated with the same Idempotency-Key it
    names the same key_id, without apikey. A name is unique among the existing keys of its scope; a
    scope has at most 50 keys unless configured otherwise, and refuses more with LIMIT_REACHED until one
    is revoked. The scope must not permit what the calling key's own does not (403). Where no API key is
    sent, the token of an operator, whose accountId names the tenant, or of a client that administers
    makes the key: so an app gets its first one (extension).

    Args:
        app_id (str):
        idempotency_key (str | Unset):
        body (CreateKeyRequest):

    Raises:
        errors.UnexpectedStatus: If the server returns an undocumented status code and Client.raise_on_unexpected_status is True.
        httpx.TimeoutException: If the request takes longer than Client.timeout.

    Returns:
        CreateKeyResult | Refusal
    """

    return (
        await asyncio_detailed(
            app_id=app_id,
            client=client,
            body=body,
            idempotency_key=idempotency_key,
        )
    ).parsed
