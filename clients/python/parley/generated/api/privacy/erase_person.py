from http import HTTPStatus
from typing import Any

import httpx

from ... import errors
from ...client import AuthenticatedClient, Client
from ...models.erase_person_request import ErasePersonRequest
from ...models.erasure_result import ErasureResult
from ...models.refusal import Refusal
from ...types import UNSET, Response, Unset


def _get_kwargs(
    *,
    body: ErasePersonRequest,
    idempotency_key: str | Unset = UNSET,
    prefer: str | Unset = UNSET,
) -> dict[str, Any]:
    headers: dict[str, Any] = {}
    if not isinstance(idempotency_key, Unset):
        headers["Idempotency-Key"] = idempotency_key

    if not isinstance(prefer, Unset):
        headers["Prefer"] = prefer

    _kwargs: dict[str, Any] = {
        "method": "post",
        "url": "/api/v1/privacy/erasures",
    }

    _kwargs["json"] = body.to_dict()

    headers["Content-Type"] = "application/json"

    _kwargs["headers"] = headers
    return _kwargs


def _parse_response(
    *, client: AuthenticatedClient | Client, response: httpx.Response
) -> ErasureResult | Refusal | None:
    if response.status_code == 202:
        response_202 = ErasureResult.from_dict(response.json())

        return response_202

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
) -> Response[ErasureResult | Refusal]:
    return Response(
        status_code=HTTPStatus(response.status_code),
        content=response.content,
        headers=response.headers,
        parsed=_parse_response(client=client, response=response),
    )


def sync_detailed(
    *,
    client: AuthenticatedClient,
    body: ErasePersonRequest,
    idempotency_key: str | Unset = UNSET,
    prefer: str | Unset = UNSET,
) -> Response[ErasureResult | Refusal]:
    """Erase a person from the account

     Takes what the person is known by, and begins a job that finds the person in calls, text messages,
    voicemails, transfers, contact lists and runs of campaigns, with the sessions, conversations and
    notifications that belong to them, and forgets the person there. What runs for the person is ended.
    get-erasure says how far the job is. It cannot be taken back.

    Args:
        idempotency_key (str | Unset):
        prefer (str | Unset):
        body (ErasePersonRequest):

    Raises:
        errors.UnexpectedStatus: If the server returns an undocumented status code and Client.raise_on_unexpected_status is True.
        httpx.TimeoutException: If the request takes longer than Client.timeout.

    Returns:
        Response[ErasureResult | Refusal]
    """

    kwargs = _get_kwargs(
        body=body,
        idempotency_key=idempotency_key,
        prefer=prefer,
    )

    response = client.get_httpx_client().request(
        **kwargs,
    )

    return _build_response(client=client, response=response)


def sync(
    *,
    client: AuthenticatedClient,
    body: ErasePersonRequest,
    idempotency_key: str | Unset = UNSET,
    prefer: str | Unset = UNSET,
) -> ErasureResult | Refusal | None:
    """Erase a person from the account

     Takes what the person is known by, and begins a job that finds the person in calls, text messages,
    voicemails, transfers, contact lists and runs of campaigns, with the sessions, conversations and
    notifications that belong to them, and forgets the person there. What runs for the person is ended.
    get-erasure says how far the job is. It cannot be taken back.

    Args:
        idempotency_key (str | Unset):
        prefer (str | Unset):
        body (ErasePersonRequest):

    Raises:
        errors.UnexpectedStatus: If the server returns an undocumented status code and Client.raise_on_unexpected_status is True.
        httpx.TimeoutException: If the request takes longer than Client.timeout.

    Returns:
        ErasureResult | Refusal
    """

    return sync_detailed(
        client=client,
        body=body,
        idempotency_key=idempotency_key,
        prefer=prefer,
    ).parsed


async def asyncio_detailed(
    *,
    client: AuthenticatedClient,
    body: ErasePersonRequest,
    idempotency_key: str | Unset = UNSET,
    prefer: str | Unset = UNSET,
) -> Response[ErasureResult | Refusal]:
    """Erase a person from the account

     Takes what the person is known by, and begins a job that finds the person in calls, text messages,
    voicemails, transfers, contact lists and runs of campaigns, with the sessions, conversations and
    notifications that belong to them, and forgets the person there. What runs for the person is ended.
    get-erasure says how far the job is. It cannot be taken back.

    Args:
        idempotency_key (str | Unset):
        prefer (str | Unset):
        body (ErasePersonRequest):

    Raises:
        errors.UnexpectedStatus: If the server returns an undocumented status code and Client.raise_on_unexpected_status is True.
        httpx.TimeoutException: If the request takes longer than Client.timeout.

    Returns:
        Response[ErasureResult | Refusal]
    """

    kwargs = _get_kwargs(
        body=body,
        idempotency_key=idempotency_key,
        prefer=prefer,
    )

    response = await client.get_async_httpx_client().request(**kwargs)

    return _build_response(client=client, response=response)


async def asyncio(
    *,
    client: AuthenticatedClient,
    body: ErasePersonRequest,
    idempotency_key: str | Unset = UNSET,
    prefer: str | Unset = UNSET,
) -> ErasureResult | Refusal | None:
    """Erase a person from the account

     Takes what the person is known by, and begins a job that finds the person in calls, text messages,
    voicemails, transfers, contact lists and runs of campaigns, with the sessions, conversations and
    notifications that belong to them, and forgets the person there. What runs for the person is ended.
    get-erasure says how far the job is. It cannot be taken back.

    Args:
        idempotency_key (str | Unset):
        prefer (str | Unset):
        body (ErasePersonRequest):

    Raises:
        errors.UnexpectedStatus: If the server returns an undocumented status code and Client.raise_on_unexpected_status is True.
        httpx.TimeoutException: If the request takes longer than Client.timeout.

    Returns:
        ErasureResult | Refusal
    """

    return (
        await asyncio_detailed(
            client=client,
            body=body,
            idempotency_key=idempotency_key,
            prefer=prefer,
        )
    ).parsed
