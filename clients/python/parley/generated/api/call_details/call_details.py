from http import HTTPStatus
from typing import Any
from urllib.parse import quote

import httpx

from ... import errors
from ...client import AuthenticatedClient, Client
from ...models.call_details_request import CallDetailsRequest
from ...models.call_details_result import CallDetailsResult
from ...models.refusal import Refusal
from ...types import UNSET, Response, Unset


def _get_kwargs(
    account_id_path: str,
    *,
    body: CallDetailsRequest,
    limit: int | Unset = 100,
    offset: int | Unset = 0,
    idempotency_key: str | Unset = UNSET,
    account_id_header: str,
    iid: str,
) -> dict[str, Any]:
    headers: dict[str, Any] = {}
    if not isinstance(idempotency_key, Unset):
        headers["Idempotency-Key"] = idempotency_key

    headers["accountId"] = account_id_header

    headers["iid"] = iid

    params: dict[str, Any] = {}

    params["limit"] = limit

    params["offset"] = offset

    params = {k: v for k, v in params.items() if v is not UNSET and v is not None}

    _kwargs: dict[str, Any] = {
        "method": "post",
        "url": "/agentassist/api/public/analytics/account/{account_id_path}/calldetails".format(
            account_id_path=quote(str(account_id_path), safe=""),
        ),
        "params": params,
    }

    _kwargs["json"] = body.to_dict()

    headers["Content-Type"] = "application/json"

    _kwargs["headers"] = headers
    return _kwargs


def _parse_response(
    *, client: AuthenticatedClient | Client, response: httpx.Response
) -> CallDetailsResult | Refusal | None:
    if response.status_code == 200:
        response_200 = CallDetailsResult.from_dict(response.json())

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
) -> Response[CallDetailsResult | Refusal]:
    return Response(
        status_code=HTTPStatus(response.status_code),
        content=response.content,
        headers=response.headers,
        parsed=_parse_response(client=client, response=response),
    )


def sync_detailed(
    account_id_path: str,
    *,
    client: AuthenticatedClient,
    body: CallDetailsRequest,
    limit: int | Unset = 100,
    offset: int | Unset = 0,
    idempotency_key: str | Unset = UNSET,
    account_id_header: str,
    iid: str,
) -> Response[CallDetailsResult | Refusal]:
    """Raw details of ended conversations, at most seven days at once

     finalStatus is BotResolved where no person was asked for, MachineDetected where a machine had
    answered, Abandoned where a person was asked for and waited for until the end or in vain, and CLOSED
    where a person had it, none could be had, or a failure ended it. disconnectingEvent says who ended
    it: User Hangup, Bot Hangup, Gateway Hangup or Agent Closed.

    Args:
        account_id_path (str):
        limit (int | Unset):  Default: 100.
        offset (int | Unset):  Default: 0.
        idempotency_key (str | Unset):
        account_id_header (str):
        iid (str):
        body (CallDetailsRequest):

    Raises:
        errors.UnexpectedStatus: If the server returns an undocumented status code and Client.raise_on_unexpected_status is True.
        httpx.TimeoutException: If the request takes longer than Client.timeout.

    Returns:
        Response[CallDetailsResult | Refusal]
    """

    kwargs = _get_kwargs(
        account_id_path=account_id_path,
        body=body,
        limit=limit,
        offset=offset,
        idempotency_key=idempotency_key,
        account_id_header=account_id_header,
        iid=iid,
    )

    response = client.get_httpx_client().request(
        **kwargs,
    )

    return _build_response(client=client, response=response)


def sync(
    account_id_path: str,
    *,
    client: AuthenticatedClient,
    body: CallDetailsRequest,
    limit: int | Unset = 100,
    offset: int | Unset = 0,
    idempotency_key: str | Unset = UNSET,
    account_id_header: str,
    iid: str,
) -> CallDetailsResult | Refusal | None:
    """Raw details of ended conversations, at most seven days at once

     finalStatus is BotResolved where no person was asked for, MachineDetected where a machine had
    answered, Abandoned where a person was asked for and waited for until the end or in vain, and CLOSED
    where a person had it, none could be had, or a failure ended it. disconnectingEvent says who ended
    it: User Hangup, Bot Hangup, Gateway Hangup or Agent Closed.

    Args:
        account_id_path (str):
        limit (int | Unset):  Default: 100.
        offset (int | Unset):  Default: 0.
        idempotency_key (str | Unset):
        account_id_header (str):
        iid (str):
        body (CallDetailsRequest):

    Raises:
        errors.UnexpectedStatus: If the server returns an undocumented status code and Client.raise_on_unexpected_status is True.
        httpx.TimeoutException: If the request takes longer than Client.timeout.

    Returns:
        CallDetailsResult | Refusal
    """

    return sync_detailed(
        account_id_path=account_id_path,
        client=client,
        body=body,
        limit=limit,
        offset=offset,
        idempotency_key=idempotency_key,
        account_id_header=account_id_header,
        iid=iid,
    ).parsed


async def asyncio_detailed(
    account_id_path: str,
    *,
    client: AuthenticatedClient,
    body: CallDetailsRequest,
    limit: int | Unset = 100,
    offset: int | Unset = 0,
    idempotency_key: str | Unset = UNSET,
    account_id_header: str,
    iid: str,
) -> Response[CallDetailsResult | Refusal]:
    """Raw details of ended conversations, at most seven days at once

     finalStatus is BotResolved where no person was asked for, MachineDetected where a machine had
    answered, Abandoned where a person was asked for and waited for until the end or in vain, and CLOSED
    where a person had it, none could be had, or a failure ended it. disconnectingEvent says who ended
    it: User Hangup, Bot Hangup, Gateway Hangup or Agent Closed.

    Args:
        account_id_path (str):
        limit (int | Unset):  Default: 100.
        offset (int | Unset):  Default: 0.
        idempotency_key (str | Unset):
        account_id_header (str):
        iid (str):
        body (CallDetailsRequest):

    Raises:
        errors.UnexpectedStatus: If the server returns an undocumented status code and Client.raise_on_unexpected_status is True.
        httpx.TimeoutException: If the request takes longer than Client.timeout.

    Returns:
        Response[CallDetailsResult | Refusal]
    """

    kwargs = _get_kwargs(
        account_id_path=account_id_path,
        body=body,
        limit=limit,
        offset=offset,
        idempotency_key=idempotency_key,
        account_id_header=account_id_header,
        iid=iid,
    )

    response = await client.get_async_httpx_client().request(**kwargs)

    return _build_response(client=client, response=response)


async def asyncio(
    account_id_path: str,
    *,
    client: AuthenticatedClient,
    body: CallDetailsRequest,
    limit: int | Unset = 100,
    offset: int | Unset = 0,
    idempotency_key: str | Unset = UNSET,
    account_id_header: str,
    iid: str,
) -> CallDetailsResult | Refusal | None:
    """Raw details of ended conversations, at most seven days at once

     finalStatus is BotResolved where no person was asked for, MachineDetected where a machine had
    answered, Abandoned where a person was asked for and waited for until the end or in vain, and CLOSED
    where a person had it, none could be had, or a failure ended it. disconnectingEvent says who ended
    it: User Hangup, Bot Hangup, Gateway Hangup or Agent Closed.

    Args:
        account_id_path (str):
        limit (int | Unset):  Default: 100.
        offset (int | Unset):  Default: 0.
        idempotency_key (str | Unset):
        account_id_header (str):
        iid (str):
        body (CallDetailsRequest):

    Raises:
        errors.UnexpectedStatus: If the server returns an undocumented status code and Client.raise_on_unexpected_status is True.
        httpx.TimeoutException: If the request takes longer than Client.timeout.

    Returns:
        CallDetailsResult | Refusal
    """

    return (
        await asyncio_detailed(
            account_id_path=account_id_path,
            client=client,
            body=body,
            limit=limit,
            offset=offset,
            idempotency_key=idempotency_key,
            account_id_header=account_id_header,
            iid=iid,
        )
    ).parsed
