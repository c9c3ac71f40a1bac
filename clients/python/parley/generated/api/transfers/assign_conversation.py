from http import HTTPStatus
from typing import Any
from urllib.parse import quote

import httpx

from ... import errors
from ...client import AuthenticatedClient, Client
from ...models.assign_conversation_request import AssignConversationRequest
from ...models.assign_conversation_result import AssignConversationResult
from ...models.assign_conversation_transferred_type import (
    AssignConversationTransferredType,
)
from ...models.refusal import Refusal
from ...types import UNSET, Response, Unset


def _get_kwargs(
    stream_id: str,
    *,
    body: AssignConversationRequest | Unset = UNSET,
    callback_url: str | Unset = UNSET,
    org_id: str | Unset = UNSET,
    bot_session_id: str | Unset = UNSET,
    a_id: str | Unset = UNSET,
    queue_id: str | Unset = UNSET,
    transferred_type: AssignConversationTransferredType | Unset = UNSET,
    idempotency_key: str | Unset = UNSET,
    account_id: str | Unset = UNSET,
) -> dict[str, Any]:
    headers: dict[str, Any] = {}
    if not isinstance(idempotency_key, Unset):
        headers["Idempotency-Key"] = idempotency_key

    if not isinstance(account_id, Unset):
        headers["accountId"] = account_id

    params: dict[str, Any] = {}

    params["callbackUrl"] = callback_url

    params["orgId"] = org_id

    params["botSessionId"] = bot_session_id

    params["aId"] = a_id

    params["queueId"] = queue_id

    json_transferred_type: str | Unset = UNSET
    if not isinstance(transferred_type, Unset):
        json_transferred_type = transferred_type.value

    params["transferredType"] = json_transferred_type

    params = {k: v for k, v in params.items() if v is not UNSET and v is not None}

    _kwargs: dict[str, Any] = {
        "method": "post",
        "url": "/agentassist/api/v1/public/{stream_id}/assign-conversation".format(
            stream_id=quote(str(stream_id), safe=""),
        ),
        "params": params,
    }

    if not isinstance(body, Unset):
        _kwargs["json"] = body.to_dict()

    headers["Content-Type"] = "application/json"

    _kwargs["headers"] = headers
    return _kwargs


def _parse_response(
    *, client: AuthenticatedClient | Client, response: httpx.Response
) -> AssignConversationResult | Refusal | None:
    if response.status_code == 200:
        response_200 = AssignConversationResult.from_dict(response.json())

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
) -> Response[AssignConversationResult | Refusal]:
    return Response(
        status_code=HTTPStatus(response.status_code),
        content=response.content,
        headers=response.headers,
        parsed=_parse_response(client=client, response=response),
    )


def sync_detailed(
    stream_id: str,
    *,
    client: AuthenticatedClient,
    body: AssignConversationRequest | Unset = UNSET,
    callback_url: str | Unset = UNSET,
    org_id: str | Unset = UNSET,
    bot_session_id: str | Unset = UNSET,
    a_id: str | Unset = UNSET,
    queue_id: str | Unset = UNSET,
    transferred_type: AssignConversationTransferredType | Unset = UNSET,
    idempotency_key: str | Unset = UNSET,
    account_id: str | Unset = UNSET,
) -> Response[AssignConversationResult | Refusal]:
    """Transfer a conversation to a human agent or to a queue

     Answers when the agent or the queue has taken the conversation, or has not. A queue where nobody is
    free takes it into its line; what comes of that is posted to callbackUrl too.

    Args:
        stream_id (str):
        callback_url (str | Unset):
        org_id (str | Unset):
        bot_session_id (str | Unset):
        a_id (str | Unset):
        queue_id (str | Unset):
        transferred_type (AssignConversationTransferredType | Unset):
        idempotency_key (str | Unset):
        account_id (str | Unset):
        body (AssignConversationRequest | Unset):

    Raises:
        errors.UnexpectedStatus: If the server returns an undocumented status code and Client.raise_on_unexpected_status is True.
        httpx.TimeoutException: If the request takes longer than Client.timeout.

    Returns:
        Response[AssignConversationResult | Refusal]
    """

    kwargs = _get_kwargs(
        stream_id=stream_id,
        body=body,
        callback_url=callback_url,
        org_id=org_id,
        bot_session_id=bot_session_id,
        a_id=a_id,
        queue_id=queue_id,
        transferred_type=transferred_type,
        idempotency_key=idempotency_key,
        account_id=account_id,
    )

    response = client.get_httpx_client().request(
        **kwargs,
    )

    return _build_response(client=client, response=response)


def sync(
    stream_id: str,
    *,
    client: AuthenticatedClient,
    body: AssignConversationRequest | Unset = UNSET,
    callback_url: str | Unset = UNSET,
    org_id: str | Unset = UNSET,
    bot_session_id: str | Unset = UNSET,
    a_id: str | Unset = UNSET,
    queue_id: str | Unset = UNSET,
    transferred_type: AssignConversationTransferredType | Unset = UNSET,
    idempotency_key: str | Unset = UNSET,
    account_id: str | Unset = UNSET,
) -> AssignConversationResult | Refusal | None:
    """Transfer a conversation to a human agent or to a queue

     Answers when the agent or the queue has taken the conversation, or has not. A queue where nobody is
    free takes it into its line; what comes of that is posted to callbackUrl too.

    Args:
        stream_id (str):
        callback_url (str | Unset):
        org_id (str | Unset):
        bot_session_id (str | Unset):
        a_id (str | Unset):
        queue_id (str | Unset):
        transferred_type (AssignConversationTransferredType | Unset):
        idempotency_key (str | Unset):
        account_id (str | Unset):
        body (AssignConversationRequest | Unset):

    Raises:
        errors.UnexpectedStatus: If the server returns an undocumented status code and Client.raise_on_unexpected_status is True.
        httpx.TimeoutException: If the request takes longer than Client.timeout.

    Returns:
        AssignConversationResult | Refusal
    """

    return sync_detailed(
        stream_id=stream_id,
        client=client,
        body=body,
        callback_url=callback_url,
        org_id=org_id,
        bot_session_id=bot_session_id,
        a_id=a_id,
        queue_id=queue_id,
        transferred_type=transferred_type,
        idempotency_key=idempotency_key,
        account_id=account_id,
    ).parsed


async def asyncio_detailed(
    stream_id: str,
    *,
    client: AuthenticatedClient,
    body: AssignConversationRequest | Unset = UNSET,
    callback_url: str | Unset = UNSET,
    org_id: str | Unset = UNSET,
    bot_session_id: str | Unset = UNSET,
    a_id: str | Unset = UNSET,
    queue_id: str | Unset = UNSET,
    transferred_type: AssignConversationTransferredType | Unset = UNSET,
    idempotency_key: str | Unset = UNSET,
    account_id: str | Unset = UNSET,
) -> Response[AssignConversationResult | Refusal]:
    """Transfer a conversation to a human agent or to a queue

     Answers when the agent or the queue has taken the conversation, or has not. A queue where nobody is
    free takes it into its line; what comes of that is posted to callbackUrl too.

    Args:
        stream_id (str):
        callback_url (str | Unset):
        org_id (str | Unset):
        bot_session_id (str | Unset):
        a_id (str | Unset):
        queue_id (str | Unset):
        transferred_type (AssignConversationTransferredType | Unset):
        idempotency_key (str | Unset):
        account_id (str | Unset):
        body (AssignConversationRequest | Unset):

    Raises:
        errors.UnexpectedStatus: If the server returns an undocumented status code and Client.raise_on_unexpected_status is True.
        httpx.TimeoutException: If the request takes longer than Client.timeout.

    Returns:
        Response[AssignConversationResult | Refusal]
    """

    kwargs = _get_kwargs(
        stream_id=stream_id,
        body=body,
        callback_url=callback_url,
        org_id=org_id,
        bot_session_id=bot_session_id,
        a_id=a_id,
        queue_id=queue_id,
        transferred_type=transferred_type,
        idempotency_key=idempotency_key,
        account_id=account_id,
    )

    response = await client.get_async_httpx_client().request(**kwargs)

    return _build_response(client=client, response=response)


async def asyncio(
    stream_id: str,
    *,
    client: AuthenticatedClient,
    body: AssignConversationRequest | Unset = UNSET,
    callback_url: str | Unset = UNSET,
    org_id: str | Unset = UNSET,
    bot_session_id: str | Unset = UNSET,
    a_id: str | Unset = UNSET,
    queue_id: str | Unset = UNSET,
    transferred_type: AssignConversationTransferredType | Unset = UNSET,
    idempotency_key: str | Unset = UNSET,
    account_id: str | Unset = UNSET,
) -> AssignConversationResult | Refusal | None:
    """Transfer a conversation to a human agent or to a queue

     Answers when the agent or the queue has taken the conversation, or has not. A queue where nobody is
    free takes it into its line; what comes of that is posted to callbackUrl too.

    Args:
        stream_id (str):
        callback_url (str | Unset):
        org_id (str | Unset):
        bot_session_id (str | Unset):
        a_id (str | Unset):
        queue_id (str | Unset):
        transferred_type (AssignConversationTransferredType | Unset):
        idempotency_key (str | Unset):
        account_id (str | Unset):
        body (AssignConversationRequest | Unset):

    Raises:
        errors.UnexpectedStatus: If the server returns an undocumented status code and Client.raise_on_unexpected_status is True.
        httpx.TimeoutException: If the request takes longer than Client.timeout.

    Returns:
        AssignConversationResult | Refusal
    """

    return (
        await asyncio_detailed(
            stream_id=stream_id,
            client=client,
            body=body,
            callback_url=callback_url,
            org_id=org_id,
            bot_session_id=bot_session_id,
            a_id=a_id,
            queue_id=queue_id,
            transferred_type=transferred_type,
            idempotency_key=idempotency_key,
            account_id=account_id,
        )
    ).parsed
