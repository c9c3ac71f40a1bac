from http import HTTPStatus
from typing import Any
from urllib.parse import quote

import httpx

from ... import errors
from ...client import AuthenticatedClient, Client
from ...models.cancel_turn_result import CancelTurnResult
from ...models.refusal import Refusal
from ...types import UNSET, Response, Unset


def _get_kwargs(
    project_id: str,
    id: str,
    *,
    turn: int | Unset = UNSET,
    idempotency_key: str | Unset = UNSET,
) -> dict[str, Any]:
    headers: dict[str, Any] = {}
    if not isinstance(idempotency_key, Unset):
        headers["Idempotency-Key"] = idempotency_key

    params: dict[str, Any] = {}

    params["turn"] = turn

    params = {k: v for k, v in params.items() if v is not UNSET and v is not None}

    _kwargs: dict[str, Any] = {
        "method": "post",
        "url": "/api/projects/{project_id}/sessions/{id}/cancel".format(
            project_id=quote(str(project_id), safe=""),
            id=quote(str(id), safe=""),
        ),
        "params": params,
    }

    _kwargs["headers"] = headers
    return _kwargs


def _parse_response(
    *, client: AuthenticatedClient | Client, response: httpx.Response
) -> CancelTurnResult | Refusal | None:
    if response.status_code == 200:
        response_200 = CancelTurnResult.from_dict(response.json())

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
) -> Response[CancelTurnResult | Refusal]:
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
    turn: int | Unset = UNSET,
    idempotency_key: str | Unset = UNSET,
) -> Response[CancelTurnResult | Refusal]:
    """Cancel the turn that runs in a session

     Or that is suspended. What was said in it stays. What it waits for is cut off, on whatever node: a
    tool, a model, a callback, whose answer is 410 from then on. A write that may have been done has the
    outcome `unknown`. Who waits for the turn's answer gets it with `action.type` cancelled, and the
    next message may come. Once more changes nothing. Where nothing runs it is 409, so a turn that ended
    in the same moment has its answer.

    Args:
        project_id (str):
        id (str):
        turn (int | Unset):
        idempotency_key (str | Unset):

    Raises:
        errors.UnexpectedStatus: If the server returns an undocumented status code and Client.raise_on_unexpected_status is True.
        httpx.TimeoutException: If the request takes longer than Client.timeout.

    Returns:
        Response[CancelTurnResult | Refusal]
    """

    kwargs = _get_kwargs(
        project_id=project_id,
        id=id,
        turn=turn,
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
    turn: int | Unset = UNSET,
    idempotency_key: str | Unset = UNSET,
) -> CancelTurnResult | Refusal | None:
    """Cancel the turn that runs in a session

     Or that is suspended. What was said in it stays. What it waits for is cut off, on whatever node: a
    tool, a model, a callback, whose answer is 410 from then on. A write that may have been done has the
    outcome `unknown`. Who waits for the turn's answer gets it with `action.type` cancelled, and the
    next message may come. Once more changes nothing. Where nothing runs it is 409, so a turn that ended
    in the same moment has its answer.

    Args:
        project_id (str):
        id (str):
        turn (int | Unset):
        idempotency_key (str | Unset):

    Raises:
        errors.UnexpectedStatus: If the server returns an undocumented status code and Client.raise_on_unexpected_status is True.
        httpx.TimeoutException: If the request takes longer than Client.timeout.

    Returns:
        CancelTurnResult | Refusal
    """

    return sync_detailed(
        project_id=project_id,
        id=id,
        client=client,
        turn=turn,
        idempotency_key=idempotency_key,
    ).parsed


async def asyncio_detailed(
    project_id: str,
    id: str,
    *,
    client: AuthenticatedClient,
    turn: int | Unset = UNSET,
    idempotency_key: str | Unset = UNSET,
) -> Response[CancelTurnResult | Refusal]:
    """Cancel the turn that runs in a session

     Or that is suspended. What was said in it stays. What it waits for is cut off, on whatever node: a
    tool, a model, a callback, whose answer is 410 from then on. A write that may have been done has the
    outcome `unknown`. Who waits for the turn's answer gets it with `action.type` cancelled, and the
    next message may come. Once more changes nothing. Where nothing runs it is 409, so a turn that ended
    in the same moment has its answer.

    Args:
        project_id (str):
        id (str):
        turn (int | Unset):
        idempotency_key (str | Unset):

    Raises:
        errors.UnexpectedStatus: If the server returns an undocumented status code and Client.raise_on_unexpected_status is True.
        httpx.TimeoutException: If the request takes longer than Client.timeout.

    Returns:
        Response[CancelTurnResult | Refusal]
    """

    kwargs = _get_kwargs(
        project_id=project_id,
        id=id,
        turn=turn,
        idempotency_key=idempotency_key,
    )

    response = await client.get_async_httpx_client().request(**kwargs)

    return _build_response(client=client, response=response)


async def asyncio(
    project_id: str,
    id: str,
    *,
    client: AuthenticatedClient,
    turn: int | Unset = UNSET,
    idempotency_key: str | Unset = UNSET,
) -> CancelTurnResult | Refusal | None:
    """Cancel the turn that runs in a session

     Or that is suspended. What was said in it stays. What it waits for is cut off, on whatever node: a
    tool, a model, a callback, whose answer is 410 from then on. A write that may have been done has the
    outcome `unknown`. Who waits for the turn's answer gets it with `action.type` cancelled, and the
    next message may come. Once more changes nothing. Where nothing runs it is 409, so a turn that ended
    in the same moment has its answer.

    Args:
        project_id (str):
        id (str):
        turn (int | Unset):
        idempotency_key (str | Unset):

    Raises:
        errors.UnexpectedStatus: If the server returns an undocumented status code and Client.raise_on_unexpected_status is True.
        httpx.TimeoutException: If the request takes longer than Client.timeout.

    Returns:
        CancelTurnResult | Refusal
    """

    return (
        await asyncio_detailed(
            project_id=project_id,
            id=id,
            client=client,
            turn=turn,
            idempotency_key=idempotency_key,
        )
    ).parsed
