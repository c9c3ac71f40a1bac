from http import HTTPStatus
from typing import Any

import httpx

from ... import errors
from ...client import AuthenticatedClient, Client
from ...models.post_async_request import PostAsyncRequest
from ...models.post_async_result import PostAsyncResult
from ...models.refusal import Refusal
from ...types import UNSET, Response, Unset


def _get_kwargs(
    *,
    body: PostAsyncRequest,
    idempotency_key: str | Unset = UNSET,
) -> dict[str, Any]:
    headers: dict[str, Any] = {}
    if not isinstance(idempotency_key, Unset):
        headers["Idempotency-Key"] = idempotency_key

    _kwargs: dict[str, Any] = {
        "method": "post",
        "url": "/api/v1/channels/http_async/messages",
    }

    _kwargs["json"] = body.to_dict()

    headers["Content-Type"] = "application/json"

    _kwargs["headers"] = headers
    return _kwargs


def _parse_response(
    *, client: AuthenticatedClient | Client, response: httpx.Response
) -> PostAsyncResult | Refusal | None:
    if response.status_code == 202:
        response_202 = PostAsyncResult.from_dict(response.json())

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
) -> Response[PostAsyncResult | Refusal]:
    return Response(
        status_code=HTTPStatus(response.status_code),
        content=response.content,
        headers=response.headers,
        parsed=_parse_response(client=client, response=response),
    )


def sync_detailed(
    *,
    client: AuthenticatedClient,
    body: PostAsyncRequest,
    idempotency_key: str | Unset = UNSET,
) -> Response[PostAsyncResult | Refusal]:
    """Say something to an agent, and come back for the answer

     By a connection of the kind http_async: the one whose externalIdentifier is `connection`, else that
    of the session, else the project's newest active one; its agent and deployment answer. 202 comes
    when the message is on the log. What is said to it is found by get-async-message, and, with
    `callbackUrl`, each text is posted there as JSON: `messageId`, `replyId` (the same for each
    attempt), `text` and `choices` [{id, label}]. The header `X-Callback-Signature` is then `sha256=`
    and the hex of the HMAC-SHA256 of the body under the connection's credential callbackSecret, which
    it must have. 2xx has taken it; 408, 429, 5xx and network errors are tried again for a day, in the
    order of the conversation; anything else ends that text. Messages of one `conversation` are answered
    one after the other; a session that has ended is followed by a new one. The same `messageId` in the
    same conversation, or the same Idempotency-Key, is the same message; of both the messageId counts.

    Args:
        idempotency_key (str | Unset):
        body (PostAsyncRequest):

    Raises:
        errors.UnexpectedStatus: If the server returns an undocumented status code and Client.raise_on_unexpected_status is True.
        httpx.TimeoutException: If the request takes longer than Client.timeout.

    Returns:
        Response[PostAsyncResult | Refusal]
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
    body: PostAsyncRequest,
    idempotency_key: str | Unset = UNSET,
) -> PostAsyncResult | Refusal | None:
    """Say something to an agent, and come back for the answer

     By a connection of the kind http_async: the one whose externalIdentifier is `connection`, else that
    of the session, else the project's newest active one; its agent and deployment answer. 202 comes
    when the message is on the log. What is said to it is found by get-async-message, and, with
    `callbackUrl`, each text is posted there as JSON: `messageId`, `replyId` (the same for each
    attempt), `text` and `choices` [{id, label}]. The header `X-Callback-Signature` is then `sha256=`
    and the hex of the HMAC-SHA256 of the body under the connection's credential callbackSecret, which
    it must have. 2xx has taken it; 408, 429, 5xx and network errors are tried again for a day, in the
    order of the conversation; anything else ends that text. Messages of one `conversation` are answered
    one after the other; a session that has ended is followed by a new one. The same `messageId` in the
    same conversation, or the same Idempotency-Key, is the same message; of both the messageId counts.

    Args:
        idempotency_key (str | Unset):
        body (PostAsyncRequest):

    Raises:
        errors.UnexpectedStatus: If the server returns an undocumented status code and Client.raise_on_unexpected_status is True.
        httpx.TimeoutException: If the request takes longer than Client.timeout.

    Returns:
        PostAsyncResult | Refusal
    """

    return sync_detailed(
        client=client,
        body=body,
        idempotency_key=idempotency_key,
    ).parsed


async def asyncio_detailed(
    *,
    client: AuthenticatedClient,
    body: PostAsyncRequest,
    idempotency_key: str | Unset = UNSET,
) -> Response[PostAsyncResult | Refusal]:
    """Say something to an agent, and come back for the answer

     By a connection of the kind http_async: the one whose externalIdentifier is `connection`, else that
    of the session, else the project's newest active one; its agent and deployment answer. 202 comes
    when the message is on the log. What is said to it is found by get-async-message, and, with
    `callbackUrl`, each text is posted there as JSON: `messageId`, `replyId` (the same for each
    attempt), `text` and `choices` [{id, label}]. The header `X-Callback-Signature` is then `sha256=`
    and the hex of the HMAC-SHA256 of the body under the connection's credential callbackSecret, which
    it must have. 2xx has taken it; 408, 429, 5xx and network errors are tried again for a day, in the
    order of the conversation; anything else ends that text. Messages of one `conversation` are answered
    one after the other; a session that has ended is followed by a new one. The same `messageId` in the
    same conversation, or the same Idempotency-Key, is the same message; of both the messageId counts.

    Args:
        idempotency_key (str | Unset):
        body (PostAsyncRequest):

    Raises:
        errors.UnexpectedStatus: If the server returns an undocumented status code and Client.raise_on_unexpected_status is True.
        httpx.TimeoutException: If the request takes longer than Client.timeout.

    Returns:
        Response[PostAsyncResult | Refusal]
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
    body: PostAsyncRequest,
    idempotency_key: str | Unset = UNSET,
) -> PostAsyncResult | Refusal | None:
    """Say something to an agent, and come back for the answer

     By a connection of the kind http_async: the one whose externalIdentifier is `connection`, else that
    of the session, else the project's newest active one; its agent and deployment answer. 202 comes
    when the message is on the log. What is said to it is found by get-async-message, and, with
    `callbackUrl`, each text is posted there as JSON: `messageId`, `replyId` (the same for each
    attempt), `text` and `choices` [{id, label}]. The header `X-Callback-Signature` is then `sha256=`
    and the hex of the HMAC-SHA256 of the body under the connection's credential callbackSecret, which
    it must have. 2xx has taken it; 408, 429, 5xx and network errors are tried again for a day, in the
    order of the conversation; anything else ends that text. Messages of one `conversation` are answered
    one after the other; a session that has ended is followed by a new one. The same `messageId` in the
    same conversation, or the same Idempotency-Key, is the same message; of both the messageId counts.

    Args:
        idempotency_key (str | Unset):
        body (PostAsyncRequest):

    Raises:
        errors.UnexpectedStatus: If the server returns an undocumented status code and Client.raise_on_unexpected_status is True.
        httpx.TimeoutException: If the request takes longer than Client.timeout.

    Returns:
        PostAsyncResult | Refusal
    """

    return (
        await asyncio_detailed(
            client=client,
            body=body,
            idempotency_key=idempotency_key,
        )
    ).parsed
