from http import HTTPStatus
from typing import Any

import httpx

from ... import errors
from ...client import AuthenticatedClient, Client
from ...models.chat_result import ChatResult
from ...models.refusal import Refusal
from ...models.send_request import SendRequest
from ...types import UNSET, Response, Unset


def _get_kwargs(
    *,
    body: SendRequest,
    idempotency_key: str | Unset = UNSET,
) -> dict[str, Any]:
    headers: dict[str, Any] = {}
    if not isinstance(idempotency_key, Unset):
        headers["Idempotency-Key"] = idempotency_key

    _kwargs: dict[str, Any] = {
        "method": "post",
        "url": "/api/v1/chat/send",
    }

    _kwargs["json"] = body.to_dict()

    headers["Content-Type"] = "application/json"

    _kwargs["headers"] = headers
    return _kwargs


def _parse_response(
    *, client: AuthenticatedClient | Client, response: httpx.Response
) -> ChatResult | Refusal | None:
    if response.status_code == 200:
        response_200 = ChatResult.from_dict(response.json())

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
) -> Response[ChatResult | Refusal]:
    return Response(
        status_code=HTTPStatus(response.status_code),
        content=response.content,
        headers=response.headers,
        parsed=_parse_response(client=client, response=response),
    )


def sync_detailed(
    *,
    client: AuthenticatedClient,
    body: SendRequest,
    idempotency_key: str | Unset = UNSET,
) -> Response[ChatResult | Refusal]:
    """Say something in a session that there is

     Answers as chat-agent does. Files come with it by the ids that add-attachment gave. Agents see them
    as session.messageMetadata.files, a list of {name, type, sizeBytes, attachmentId}, which is in place
    of a member `files` of metadata; models are told name, type and size with the message.

    Args:
        idempotency_key (str | Unset):
        body (SendRequest):

    Raises:
        errors.UnexpectedStatus: If the server returns an undocumented status code and Client.raise_on_unexpected_status is True.
        httpx.TimeoutException: If the request takes longer than Client.timeout.

    Returns:
        Response[ChatResult | Refusal]
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
    body: SendRequest,
    idempotency_key: str | Unset = UNSET,
) -> ChatResult | Refusal | None:
    """Say something in a session that there is

     Answers as chat-agent does. Files come with it by the ids that add-attachment gave. Agents see them
    as session.messageMetadata.files, a list of {name, type, sizeBytes, attachmentId}, which is in place
    of a member `files` of metadata; models are told name, type and size with the message.

    Args:
        idempotency_key (str | Unset):
        body (SendRequest):

    Raises:
        errors.UnexpectedStatus: If the server returns an undocumented status code and Client.raise_on_unexpected_status is True.
        httpx.TimeoutException: If the request takes longer than Client.timeout.

    Returns:
        ChatResult | Refusal
    """

    return sync_detailed(
        client=client,
        body=body,
        idempotency_key=idempotency_key,
    ).parsed


async def asyncio_detailed(
    *,
    client: AuthenticatedClient,
    body: SendRequest,
    idempotency_key: str | Unset = UNSET,
) -> Response[ChatResult | Refusal]:
    """Say something in a session that there is

     Answers as chat-agent does. Files come with it by the ids that add-attachment gave. Agents see them
    as session.messageMetadata.files, a list of {name, type, sizeBytes, attachmentId}, which is in place
    of a member `files` of metadata; models are told name, type and size with the message.

    Args:
        idempotency_key (str | Unset):
        body (SendRequest):

    Raises:
        errors.UnexpectedStatus: If the server returns an undocumented status code and Client.raise_on_unexpected_status is True.
        httpx.TimeoutException: If the request takes longer than Client.timeout.

    Returns:
        Response[ChatResult | Refusal]
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
    body: SendRequest,
    idempotency_key: str | Unset = UNSET,
) -> ChatResult | Refusal | None:
    """Say something in a session that there is

     Answers as chat-agent does. Files come with it by the ids that add-attachment gave. Agents see them
    as session.messageMetadata.files, a list of {name, type, sizeBytes, attachmentId}, which is in place
    of a member `files` of metadata; models are told name, type and size with the message.

    Args:
        idempotency_key (str | Unset):
        body (SendRequest):

    Raises:
        errors.UnexpectedStatus: If the server returns an undocumented status code and Client.raise_on_unexpected_status is True.
        httpx.TimeoutException: If the request takes longer than Client.timeout.

    Returns:
        ChatResult | Refusal
    """

    return (
        await asyncio_detailed(
            client=client,
            body=body,
            idempotency_key=idempotency_key,
        )
    ).parsed
