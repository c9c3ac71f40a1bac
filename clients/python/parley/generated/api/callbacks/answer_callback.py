from http import HTTPStatus
from typing import Any
from urllib.parse import quote

import httpx

from ... import errors
from ...client import AuthenticatedClient, Client
from ...models.answer_result import AnswerResult
from ...models.refusal import Refusal
from ...types import UNSET, Response, Unset


def _get_kwargs(
    callback_id: str,
    *,
    body: Any,
    idempotency_key: str | Unset = UNSET,
    x_callback_signature: str | Unset = UNSET,
) -> dict[str, Any]:
    headers: dict[str, Any] = {}
    if not isinstance(idempotency_key, Unset):
        headers["Idempotency-Key"] = idempotency_key

    if not isinstance(x_callback_signature, Unset):
        headers["x-callback-signature"] = x_callback_signature

    _kwargs: dict[str, Any] = {
        "method": "post",
        "url": "/api/v1/callbacks/{callback_id}".format(
            callback_id=quote(str(callback_id), safe=""),
        ),
    }

    _kwargs["json"] = body

    headers["Content-Type"] = "application/json"

    _kwargs["headers"] = headers
    return _kwargs


def _parse_response(
    *, client: AuthenticatedClient | Client, response: httpx.Response
) -> AnswerResult | Refusal | None:
    if response.status_code == 200:
        response_200 = AnswerResult.from_dict(response.json())

        return response_200

    if response.status_code == 400:
        response_400 = Refusal.from_dict(response.json())

        return response_400

    if response.status_code == 401:
        response_401 = Refusal.from_dict(response.json())

        return response_401

    if response.status_code == 404:
        response_404 = Refusal.from_dict(response.json())

        return response_404

    if response.status_code == 410:
        response_410 = Refusal.from_dict(response.json())

        return response_410

    if response.status_code == 413:
        response_413 = Refusal.from_dict(response.json())

        return response_413

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
) -> Response[AnswerResult | Refusal]:
    return Response(
        status_code=HTTPStatus(response.status_code),
        content=response.content,
        headers=response.headers,
        parsed=_parse_response(client=client, response=response),
    )


def sync_detailed(
    callback_id: str,
    *,
    client: AuthenticatedClient | Client,
    body: Any,
    idempotency_key: str | Unset = UNSET,
    x_callback_signature: str | Unset = UNSET,
) -> Response[AnswerResult | Refusal]:
    """Answer a call of a tool that waits for it

     The id is given to whoever is called, as `callback.id` and `callback.url`, and opens this callback
    alone. The first answer counts, and is given to the agent; the session goes on at once. A repeat is
    answered with `already_processed`. When nothing waits any more (the time of the tool is over, the
    session has ended or was reset) it is 410. After 503 it is safe to try again.

    Args:
        callback_id (str):
        idempotency_key (str | Unset):
        x_callback_signature (str | Unset):
        body (Any): Any JSON, which the agent is given as the tool's result.

    Raises:
        errors.UnexpectedStatus: If the server returns an undocumented status code and Client.raise_on_unexpected_status is True.
        httpx.TimeoutException: If the request takes longer than Client.timeout.

    Returns:
        Response[AnswerResult | Refusal]
    """

    kwargs = _get_kwargs(
        callback_id=callback_id,
        body=body,
        idempotency_key=idempotency_key,
        x_callback_signature=x_callback_signature,
    )

    response = client.get_httpx_client().request(
        **kwargs,
    )

    return _build_response(client=client, response=response)


def sync(
    callback_id: str,
    *,
    client: AuthenticatedClient | Client,
    body: Any,
    idempotency_key: str | Unset = UNSET,
    x_callback_signature: str | Unset = UNSET,
) -> AnswerResult | Refusal | None:
    """Answer a call of a tool that waits for it

     The id is given to whoever is called, as `callback.id` and `callback.url`, and opens this callback
    alone. The first answer counts, and is given to the agent; the session goes on at once. A repeat is
    answered with `already_processed`. When nothing waits any more (the time of the tool is over, the
    session has ended or was reset) it is 410. After 503 it is safe to try again.

    Args:
        callback_id (str):
        idempotency_key (str | Unset):
        x_callback_signature (str | Unset):
        body (Any): Any JSON, which the agent is given as the tool's result.

    Raises:
        errors.UnexpectedStatus: If the server returns an undocumented status code and Client.raise_on_unexpected_status is True.
        httpx.TimeoutException: If the request takes longer than Client.timeout.

    Returns:
        AnswerResult | Refusal
    """

    return sync_detailed(
        callback_id=callback_id,
        client=client,
        body=body,
        idempotency_key=idempotency_key,
        x_callback_signature=x_callback_signature,
    ).parsed


async def asyncio_detailed(
    callback_id: str,
    *,
    client: AuthenticatedClient | Client,
    body: Any,
    idempotency_key: str | Unset = UNSET,
    x_callback_signature: str | Unset = UNSET,
) -> Response[AnswerResult | Refusal]:
    """Answer a call of a tool that waits for it

     The id is given to whoever is called, as `callback.id` and `callback.url`, and opens this callback
    alone. The first answer counts, and is given to the agent; the session goes on at once. A repeat is
    answered with `already_processed`. When nothing waits any more (the time of the tool is over, the
    session has ended or was reset) it is 410. After 503 it is safe to try again.

    Args:
        callback_id (str):
        idempotency_key (str | Unset):
        x_callback_signature (str | Unset):
        body (Any): Any JSON, which the agent is given as the tool's result.

    Raises:
        errors.UnexpectedStatus: If the server returns an undocumented status code and Client.raise_on_unexpected_status is True.
        httpx.TimeoutException: If the request takes longer than Client.timeout.

    Returns:
        Response[AnswerResult | Refusal]
    """

    kwargs = _get_kwargs(
        callback_id=callback_id,
        body=body,
        idempotency_key=idempotency_key,
        x_callback_signature=x_callback_signature,
    )

    response = await client.get_async_httpx_client().request(**kwargs)

    return _build_response(client=client, response=response)


async def asyncio(
    callback_id: str,
    *,
    client: AuthenticatedClient | Client,
    body: Any,
    idempotency_key: str | Unset = UNSET,
    x_callback_signature: str | Unset = UNSET,
) -> AnswerResult | Refusal | None:
    """Answer a call of a tool that waits for it

     The id is given to whoever is called, as `callback.id` and `callback.url`, and opens this callback
    alone. The first answer counts, and is given to the agent; the session goes on at once. A repeat is
    answered with `already_processed`. When nothing waits any more (the time of the tool is over, the
    session has ended or was reset) it is 410. After 503 it is safe to try again.

    Args:
        callback_id (str):
        idempotency_key (str | Unset):
        x_callback_signature (str | Unset):
        body (Any): Any JSON, which the agent is given as the tool's result.

    Raises:
        errors.UnexpectedStatus: If the server returns an undocumented status code and Client.raise_on_unexpected_status is True.
        httpx.TimeoutException: If the request takes longer than Client.timeout.

    Returns:
        AnswerResult | Refusal
    """

    return (
        await asyncio_detailed(
            callback_id=callback_id,
            client=client,
            body=body,
            idempotency_key=idempotency_key,
            x_callback_signature=x_callback_signature,
        )
    ).parsed
