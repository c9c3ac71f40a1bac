from http import HTTPStatus
from typing import Any
from urllib.parse import quote

import httpx

from ... import errors
from ...client import AuthenticatedClient, Client
from ...models.refusal import Refusal
from ...models.retry_delivery_result import RetryDeliveryResult
from ...types import UNSET, Response, Unset


def _get_kwargs(
    project_id: str,
    id: str,
    delivery_id: str,
    *,
    idempotency_key: str | Unset = UNSET,
) -> dict[str, Any]:
    headers: dict[str, Any] = {}
    if not isinstance(idempotency_key, Unset):
        headers["Idempotency-Key"] = idempotency_key

    _kwargs: dict[str, Any] = {
        "method": "post",
        "url": "/api/projects/{project_id}/channel-connections/{id}/deliveries/{delivery_id}/retry".format(
            project_id=quote(str(project_id), safe=""),
            id=quote(str(id), safe=""),
            delivery_id=quote(str(delivery_id), safe=""),
        ),
    }

    _kwargs["headers"] = headers
    return _kwargs


def _parse_response(
    *, client: AuthenticatedClient | Client, response: httpx.Response
) -> Refusal | RetryDeliveryResult | None:
    if response.status_code == 200:
        response_200 = RetryDeliveryResult.from_dict(response.json())

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
) -> Response[Refusal | RetryDeliveryResult]:
    return Response(
        status_code=HTTPStatus(response.status_code),
        content=response.content,
        headers=response.headers,
        parsed=_parse_response(client=client, response=response),
    )


def sync_detailed(
    project_id: str,
    id: str,
    delivery_id: str,
    *,
    client: AuthenticatedClient,
    idempotency_key: str | Unset = UNSET,
) -> Response[Refusal | RetryDeliveryResult]:
    """Try again to deliver what failed

     From the part at which it failed, behind what waits in the same conversation, for one more day. The
    newest 20 that failed of a conversation can be tried again; one that failed with OUTCOME_UNKNOWN may
    have been delivered.

    Args:
        project_id (str):
        id (str):
        delivery_id (str):
        idempotency_key (str | Unset):

    Raises:
        errors.UnexpectedStatus: If the server returns an undocumented status code and Client.raise_on_unexpected_status is True.
        httpx.TimeoutException: If the request takes longer than Client.timeout.

    Returns:
        Response[Refusal | RetryDeliveryResult]
    """

    kwargs = _get_kwargs(
        project_id=project_id,
        id=id,
        delivery_id=delivery_id,
        idempotency_key=idempotency_key,
    )

    response = client.get_httpx_client().request(
        **kwargs,
    )

    return _build_response(client=client, response=response)


def sync(
    project_id: str,
    id: str,
    delivery_id: str,
    *,
    client: AuthenticatedClient,
    idempotency_key: str | Unset = UNSET,
) -> Refusal | RetryDeliveryResult | None:
    """Try again to deliver what failed

     From the part at which it failed, behind what waits in the same conversation, for one more day. The
    newest 20 that failed of a conversation can be tried again; one that failed with OUTCOME_UNKNOWN may
    have been delivered.

    Args:
        project_id (str):
        id (str):
        delivery_id (str):
        idempotency_key (str | Unset):

    Raises:
        errors.UnexpectedStatus: If the server returns an undocumented status code and Client.raise_on_unexpected_status is True.
        httpx.TimeoutException: If the request takes longer than Client.timeout.

    Returns:
        Refusal | RetryDeliveryResult
    """

    return sync_detailed(
        project_id=project_id,
        id=id,
        delivery_id=delivery_id,
        client=client,
        idempotency_key=idempotency_key,
    ).parsed


async def asyncio_detailed(
    project_id: str,
    id: str,
    delivery_id: str,
    *,
    client: AuthenticatedClient,
    idempotency_key: str | Unset = UNSET,
) -> Response[Refusal | RetryDeliveryResult]:
    """Try again to deliver what failed

     From the part at which it failed, behind what waits in the same conversation, for one more day. The
    newest 20 that failed of a conversation can be tried again; one that failed with OUTCOME_UNKNOWN may
    have been delivered.

    Args:
        project_id (str):
        id (str):
        delivery_id (str):
        idempotency_key (str | Unset):

    Raises:
        errors.UnexpectedStatus: If the server returns an undocumented status code and Client.raise_on_unexpected_status is True.
        httpx.TimeoutException: If the request takes longer than Client.timeout.

    Returns:
        Response[Refusal | RetryDeliveryResult]
    """

    kwargs = _get_kwargs(
        project_id=project_id,
        id=id,
        delivery_id=delivery_id,
        idempotency_key=idempotency_key,
    )

    response = await client.get_async_httpx_client().request(**kwargs)

    return _build_response(client=client, response=response)


async def asyncio(
    project_id: str,
    id: str,
    delivery_id: str,
    *,
    client: AuthenticatedClient,
    idempotency_key: str | Unset = UNSET,
) -> Refusal | RetryDeliveryResult | None:
    """Try again to deliver what failed

     From the part at which it failed, behind what waits in the same conversation, for one more day. The
    newest 20 that failed of a conversation can be tried again; one that failed with OUTCOME_UNKNOWN may
    have been delivered.

    Args:
        project_id (str):
        id (str):
        delivery_id (str):
        idempotency_key (str | Unset):

    Raises:
        errors.UnexpectedStatus: If the server returns an undocumented status code and Client.raise_on_unexpected_status is True.
        httpx.TimeoutException: If the request takes longer than Client.timeout.

    Returns:
        Refusal | RetryDeliveryResult
    """

    return (
        await asyncio_detailed(
            project_id=project_id,
            id=id,
            delivery_id=delivery_id,
            client=client,
            idempotency_key=idempotency_key,
        )
    ).parsed
