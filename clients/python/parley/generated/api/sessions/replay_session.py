from http import HTTPStatus
from typing import Any
from urllib.parse import quote

import httpx

from ... import errors
from ...client import AuthenticatedClient, Client
from ...models.refusal import Refusal
from ...models.replay_request import ReplayRequest
from ...models.replay_result import ReplayResult
from ...types import UNSET, Response, Unset


def _get_kwargs(
    project_id: str,
    id: str,
    *,
    body: ReplayRequest | Unset = UNSET,
    idempotency_key: str | Unset = UNSET,
) -> dict[str, Any]:
    headers: dict[str, Any] = {}
    if not isinstance(idempotency_key, Unset):
        headers["Idempotency-Key"] = idempotency_key

    _kwargs: dict[str, Any] = {
        "method": "post",
        "url": "/api/projects/{project_id}/sessions/{id}/replay".format(
            project_id=quote(str(project_id), safe=""),
            id=quote(str(id), safe=""),
        ),
    }

    if not isinstance(body, Unset):
        _kwargs["json"] = body.to_dict()

    headers["Content-Type"] = "application/json"

    _kwargs["headers"] = headers
    return _kwargs


def _parse_response(
    *, client: AuthenticatedClient | Client, response: httpx.Response
) -> Refusal | ReplayResult | None:
    if response.status_code == 200:
        response_200 = ReplayResult.from_dict(response.json())

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

    if response.status_code == 410:
        response_410 = Refusal.from_dict(response.json())

        return response_410

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
) -> Response[Refusal | ReplayResult]:
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
    body: ReplayRequest | Unset = UNSET,
    idempotency_key: str | Unset = UNSET,
) -> Response[Refusal | ReplayResult]:
    """Decide the turns of a session again

     By the sources that it went by, which must come to the events that stand on the log; or by other
    versions of them, up to the first difference. Messages, what tools and models answered, and all
    times are taken from the log: nothing is asked, and nothing is written. It needs personal:read as
    well.

    Args:
        project_id (str):
        id (str):
        idempotency_key (str | Unset):
        body (ReplayRequest | Unset):

    Raises:
        errors.UnexpectedStatus: If the server returns an undocumented status code and Client.raise_on_unexpected_status is True.
        httpx.TimeoutException: If the request takes longer than Client.timeout.

    Returns:
        Response[Refusal | ReplayResult]
    """

    kwargs = _get_kwargs(
        project_id=project_id,
        id=id,
        body=body,
        idempotency_key=idempotency_key,
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
    body: ReplayRequest | Unset = UNSET,
    idempotency_key: str | Unset = UNSET,
) -> Refusal | ReplayResult | None:
    """Decide the turns of a session again

     By the sources that it went by, which must come to the events that stand on the log; or by other
    versions of them, up to the first difference. Messages, what tools and models answered, and all
    times are taken from the log: nothing is asked, and nothing is written. It needs personal:read as
    well.

    Args:
        project_id (str):
        id (str):
        idempotency_key (str | Unset):
        body (ReplayRequest | Unset):

    Raises:
        errors.UnexpectedStatus: If the server returns an undocumented status code and Client.raise_on_unexpected_status is True.
        httpx.TimeoutException: If the request takes longer than Client.timeout.

    Returns:
        Refusal | ReplayResult
    """

    return sync_detailed(
        project_id=project_id,
        id=id,
        client=client,
        body=body,
        idempotency_key=idempotency_key,
    ).parsed


async def asyncio_detailed(
    project_id: str,
    id: str,
    *,
    client: AuthenticatedClient,
    body: ReplayRequest | Unset = UNSET,
    idempotency_key: str | Unset = UNSET,
) -> Response[Refusal | ReplayResult]:
    """Decide the turns of a session again

     By the sources that it went by, which must come to the events that stand on the log; or by other
    versions of them, up to the first difference. Messages, what tools and models answered, and all
    times are taken from the log: nothing is asked, and nothing is written. It needs personal:read as
    well.

    Args:
        project_id (str):
        id (str):
        idempotency_key (str | Unset):
        body (ReplayRequest | Unset):

    Raises:
        errors.UnexpectedStatus: If the server returns an undocumented status code and Client.raise_on_unexpected_status is True.
        httpx.TimeoutException: If the request takes longer than Client.timeout.

    Returns:
        Response[Refusal | ReplayResult]
    """

    kwargs = _get_kwargs(
        project_id=project_id,
        id=id,
        body=body,
        idempotency_key=idempotency_key,
    )

    response = await client.get_async_httpx_client().request(**kwargs)

    return _build_response(client=client, response=response)


async def asyncio(
    project_id: str,
    id: str,
    *,
    client: AuthenticatedClient,
    body: ReplayRequest | Unset = UNSET,
    idempotency_key: str | Unset = UNSET,
) -> Refusal | ReplayResult | None:
    """Decide the turns of a session again

     By the sources that it went by, which must come to the events that stand on the log; or by other
    versions of them, up to the first difference. Messages, what tools and models answered, and all
    times are taken from the log: nothing is asked, and nothing is written. It needs personal:read as
    well.

    Args:
        project_id (str):
        id (str):
        idempotency_key (str | Unset):
        body (ReplayRequest | Unset):

    Raises:
        errors.UnexpectedStatus: If the server returns an undocumented status code and Client.raise_on_unexpected_status is True.
        httpx.TimeoutException: If the request takes longer than Client.timeout.

    Returns:
        Refusal | ReplayResult
    """

    return (
        await asyncio_detailed(
            project_id=project_id,
            id=id,
            client=client,
            body=body,
            idempotency_key=idempotency_key,
        )
    ).parsed
