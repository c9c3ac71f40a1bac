from http import HTTPStatus
from typing import Any

import httpx

from ... import errors
from ...client import AuthenticatedClient, Client
from ...models.refusal import Refusal
from ...models.widget_init_request import WidgetInitRequest
from ...models.widget_init_result import WidgetInitResult
from ...types import UNSET, Response, Unset


def _get_kwargs(
    *,
    body: WidgetInitRequest,
    idempotency_key: str | Unset = UNSET,
) -> dict[str, Any]:
    headers: dict[str, Any] = {}
    if not isinstance(idempotency_key, Unset):
        headers["Idempotency-Key"] = idempotency_key

    _kwargs: dict[str, Any] = {
        "method": "post",
        "url": "/api/v1/sdk/init",
    }

    _kwargs["json"] = body.to_dict()

    headers["Content-Type"] = "application/json"

    _kwargs["headers"] = headers
    return _kwargs


def _parse_response(
    *, client: AuthenticatedClient | Client, response: httpx.Response
) -> Refusal | WidgetInitResult | None:
    if response.status_code == 200:
        response_200 = WidgetInitResult.from_dict(response.json())

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
) -> Response[Refusal | WidgetInitResult]:
    return Response(
        status_code=HTTPStatus(response.status_code),
        content=response.content,
        headers=response.headers,
        parsed=_parse_response(client=client, response=response),
    )


def sync_detailed(
    *,
    client: AuthenticatedClient,
    body: WidgetInitRequest,
    idempotency_key: str | Unset = UNSET,
) -> Response[Refusal | WidgetInitResult]:
    """Begin a session of a widget or an app

     With a public key in X-Public-Key, or the token of an SDK channel in X-SDK-Token. The token of the
    answer is good for half an hour in the header X-SDK-Token, and opens the session alone: chat-agent,
    chat-send, stream-chat, session-transcript, give-feedback, add-attachment, and the sockets and runs
    of web-chat, ag-ui and run-ag-ui. With `sessionId` the session goes on, with a new token. An
    Idempotency-Key says nothing here: the public key is everybody's, so what one caller began would be
    given to another.

    Args:
        idempotency_key (str | Unset):
        body (WidgetInitRequest):

    Raises:
        errors.UnexpectedStatus: If the server returns an undocumented status code and Client.raise_on_unexpected_status is True.
        httpx.TimeoutException: If the request takes longer than Client.timeout.

    Returns:
        Response[Refusal | WidgetInitResult]
    """

    kwargs = _get_kwargs(
        body=body,
        idempotency_key=idempotency_key,
    )

    response = client.get_httpx_client().request(
        **kwargs,
    )

    return _build_response(client=client, response=response)


def sync(
    *,
    client: AuthenticatedClient,
    body: WidgetInitRequest,
    idempotency_key: str | Unset = UNSET,
) -> Refusal | WidgetInitResult | None:
    """Begin a session of a widget or an app

     With a public key in X-Public-Key, or the token of an SDK channel in X-SDK-Token. The token of the
    answer is good for half an hour in the header X-SDK-Token, and opens the session alone: chat-agent,
    chat-send, stream-chat, session-transcript, give-feedback, add-attachment, and the sockets and runs
    of web-chat, ag-ui and run-ag-ui. With `sessionId` the session goes on, with a new token. An
    Idempotency-Key says nothing here: the public key is everybody's, so what one caller began would be
    given to another.

    Args:
        idempotency_key (str | Unset):
        body (WidgetInitRequest):

    Raises:
        errors.UnexpectedStatus: If the server returns an undocumented status code and Client.raise_on_unexpected_status is True.
        httpx.TimeoutException: If the request takes longer than Client.timeout.

    Returns:
        Refusal | WidgetInitResult
    """

    return sync_detailed(
        client=client,
        body=body,
        idempotency_key=idempotency_key,
    ).parsed


async def asyncio_detailed(
    *,
    client: AuthenticatedClient,
    body: WidgetInitRequest,
    idempotency_key: str | Unset = UNSET,
) -> Response[Refusal | WidgetInitResult]:
    """Begin a session of a widget or an app

     With a public key in X-Public-Key, or the token of an SDK channel in X-SDK-Token. The token of the
    answer is good for half an hour in the header X-SDK-Token, and opens the session alone: chat-agent,
    chat-send, stream-chat, session-transcript, give-feedback, add-attachment, and the sockets and runs
    of web-chat, ag-ui and run-ag-ui. With `sessionId` the session goes on, with a new token. An
    Idempotency-Key says nothing here: the public key is everybody's, so what one caller began would be
    given to another.

    Args:
        idempotency_key (str | Unset):
        body (WidgetInitRequest):

    Raises:
        errors.UnexpectedStatus: If the server returns an undocumented status code and Client.raise_on_unexpected_status is True.
        httpx.TimeoutException: If the request takes longer than Client.timeout.

    Returns:
        Response[Refusal | WidgetInitResult]
    """

    kwargs = _get_kwargs(
        body=body,
        idempotency_key=idempotency_key,
    )

    response = await client.get_async_httpx_client().request(**kwargs)

    return _build_response(client=client, response=response)


async def asyncio(
    *,
    client: AuthenticatedClient,
    body: WidgetInitRequest,
    idempotency_key: str | Unset = UNSET,
) -> Refusal | WidgetInitResult | None:
    """Begin a session of a widget or an app

     With a public key in X-Public-Key, or the token of an SDK channel in X-SDK-Token. The token of the
    answer is good for half an hour in the header X-SDK-Token, and opens the session alone: chat-agent,
    chat-send, stream-chat, session-transcript, give-feedback, add-attachment, and the sockets and runs
    of web-chat, ag-ui and run-ag-ui. With `sessionId` the session goes on, with a new token. An
    Idempotency-Key says nothing here: the public key is everybody's, so what one caller began would be
    given to another.

    Args:
        idempotency_key (str | Unset):
        body (WidgetInitRequest):

    Raises:
        errors.UnexpectedStatus: If the server returns an undocumented status code and Client.raise_on_unexpected_status is True.
        httpx.TimeoutException: If the request takes longer than Client.timeout.

    Returns:
        Refusal | WidgetInitResult
    """

    return (
        await asyncio_detailed(
            client=client,
            body=body,
            idempotency_key=idempotency_key,
        )
    ).parsed
