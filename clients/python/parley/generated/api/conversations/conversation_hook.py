from http import HTTPStatus
from typing import Any
from urllib.parse import quote

import httpx

from ... import errors
from ...client import AuthenticatedClient, Client
from ...models.hook_refusal import HookRefusal
from ...models.hook_request import HookRequest
from ...models.hook_result import HookResult
from ...types import UNSET, Response, Unset


def _get_kwargs(
    bot_id: str,
    *,
    body: HookRequest,
    idempotency_key: str | Unset = UNSET,
) -> dict[str, Any]:
    headers: dict[str, Any] = {}
    if not isinstance(idempotency_key, Unset):
        headers["Idempotency-Key"] = idempotency_key

    _kwargs: dict[str, Any] = {
        "method": "post",
        "url": "/agentassist/api/v1/hooks/{bot_id}".format(
            bot_id=quote(str(bot_id), safe=""),
        ),
    }

    _kwargs["json"] = body.to_dict()

    headers["Content-Type"] = "application/json"

    _kwargs["headers"] = headers
    return _kwargs


def _parse_response(
    *, client: AuthenticatedClient | Client, response: httpx.Response
) -> HookRefusal | HookResult | None:
    if response.status_code == 200:
        response_200 = HookResult.from_dict(response.json())

        return response_200

    if response.status_code == 400:
        response_400 = HookRefusal.from_dict(response.json())

        return response_400

    if response.status_code == 401:
        response_401 = HookRefusal.from_dict(response.json())

        return response_401

    if response.status_code == 403:
        response_403 = HookRefusal.from_dict(response.json())

        return response_403

    if response.status_code == 404:
        response_404 = HookRefusal.from_dict(response.json())

        return response_404

    if response.status_code == 409:
        response_409 = HookRefusal.from_dict(response.json())

        return response_409

    if response.status_code == 413:
        response_413 = HookRefusal.from_dict(response.json())

        return response_413

    if response.status_code == 429:
        response_429 = HookRefusal.from_dict(response.json())

        return response_429

    if response.status_code == 500:
        response_500 = HookRefusal.from_dict(response.json())

        return response_500

    if response.status_code == 503:
        response_503 = HookRefusal.from_dict(response.json())

        return response_503

    if client.raise_on_unexpected_status:
        raise errors.UnexpectedStatus(response.status_code, response.content)
    else:
        return None


def _build_response(
    *, client: AuthenticatedClient | Client, response: httpx.Response
) -> Response[HookRefusal | HookResult]:
    return Response(
        status_code=HTTPStatus(response.status_code),
        content=response.content,
        headers=response.headers,
        parsed=_parse_response(client=client, response=response),
    )


def sync_detailed(
    bot_id: str,
    *,
    client: AuthenticatedClient,
    body: HookRequest,
    idempotency_key: str | Unset = UNSET,
) -> Response[HookRefusal | HookResult]:
    """Tell of a conversation's lifecycle, or of a message in it

     Either events or a message. A conversation begins with the NA entry (or a redial entry) of an agent,
    goes on with cold or warm transfers, and is closed by the last agent's NA exit, an optional summary
    trigger, and END_OF_CONVERSATION; messages are taken in between. What cannot have happened in that
    order is 400 and changes nothing; a lifecycle event that is told twice changes nothing either;
    messages are told apart by Idempotency-Key only. After the end everything is 400, and kept for
    audit.

    Args:
        bot_id (str):
        idempotency_key (str | Unset):
        body (HookRequest):

    Raises:
        errors.UnexpectedStatus: If the server returns an undocumented status code and Client.raise_on_unexpected_status is True.
        httpx.TimeoutException: If the request takes longer than Client.timeout.

    Returns:
        Response[HookRefusal | HookResult]
    """

    kwargs = _get_kwargs(
        bot_id=bot_id,
        body=body,
        idempotency_key=idempotency_key,
    )

    response = client.get_httpx_client().request(
        **kwargs,
    )

    return _build_response(client=client, response=response)


def sync(
    bot_id: str,
    *,
    client: AuthenticatedClient,
    body: HookRequest,
    idempotency_key: str | Unset = UNSET,
) -> HookRefusal | HookResult | None:
    """Tell of a conversation's lifecycle, or of a message in it

     Either events or a message. A conversation begins with the NA entry (or a redial entry) of an agent,
    goes on with cold or warm transfers, and is closed by the last agent's NA exit, an optional summary
    trigger, and END_OF_CONVERSATION; messages are taken in between. What cannot have happened in that
    order is 400 and changes nothing; a lifecycle event that is told twice changes nothing either;
    messages are told apart by Idempotency-Key only. After the end everything is 400, and kept for
    audit.

    Args:
        bot_id (str):
        idempotency_key (str | Unset):
        body (HookRequest):

    Raises:
        errors.UnexpectedStatus: If the server returns an undocumented status code and Client.raise_on_unexpected_status is True.
        httpx.TimeoutException: If the request takes longer than Client.timeout.

    Returns:
        HookRefusal | HookResult
    """

    return sync_detailed(
        bot_id=bot_id,
        client=client,
        body=body,
        idempotency_key=idempotency_key,
    ).parsed


async def asyncio_detailed(
    bot_id: str,
    *,
    client: AuthenticatedClient,
    body: HookRequest,
    idempotency_key: str | Unset = UNSET,
) -> Response[HookRefusal | HookResult]:
    """Tell of a conversation's lifecycle, or of a message in it

     Either events or a message. A conversation begins with the NA entry (or a redial entry) of an agent,
    goes on with cold or warm transfers, and is closed by the last agent's NA exit, an optional summary
    trigger, and END_OF_CONVERSATION; messages are taken in between. What cannot have happened in that
    order is 400 and changes nothing; a lifecycle event that is told twice changes nothing either;
    messages are told apart by Idempotency-Key only. After the end everything is 400, and kept for
    audit.

    Args:
        bot_id (str):
        idempotency_key (str | Unset):
        body (HookRequest):

    Raises:
        errors.UnexpectedStatus: If the server returns an undocumented status code and Client.raise_on_unexpected_status is True.
        httpx.TimeoutException: If the request takes longer than Client.timeout.

    Returns:
        Response[HookRefusal | HookResult]
    """

    kwargs = _get_kwargs(
        bot_id=bot_id,
        body=body,
        idempotency_key=idempotency_key,
    )

    response = await client.get_async_httpx_client().request(**kwargs)

    return _build_response(client=client, response=response)


async def asyncio(
    bot_id: str,
    *,
    client: AuthenticatedClient,
    body: HookRequest,
    idempotency_key: str | Unset = UNSET,
) -> HookRefusal | HookResult | None:
    """Tell of a conversation's lifecycle, or of a message in it

     Either events or a message. A conversation begins with the NA entry (or a redial entry) of an agent,
    goes on with cold or warm transfers, and is closed by the last agent's NA exit, an optional summary
    trigger, and END_OF_CONVERSATION; messages are taken in between. What cannot have happened in that
    order is 400 and changes nothing; a lifecycle event that is told twice changes nothing either;
    messages are told apart by Idempotency-Key only. After the end everything is 400, and kept for
    audit.

    Args:
        bot_id (str):
        idempotency_key (str | Unset):
        body (HookRequest):

    Raises:
        errors.UnexpectedStatus: If the server returns an undocumented status code and Client.raise_on_unexpected_status is True.
        httpx.TimeoutException: If the request takes longer than Client.timeout.

    Returns:
        HookRefusal | HookResult
    """

    return (
        await asyncio_detailed(
            bot_id=bot_id,
            client=client,
            body=body,
            idempotency_key=idempotency_key,
        )
    ).parsed
