from http import HTTPStatus
from typing import Any

import httpx

from ... import errors
from ...client import AuthenticatedClient, Client
from ...models.refusal import Refusal
from ...models.rtc_token_request import RtcTokenRequest
from ...models.rtc_token_result import RtcTokenResult
from ...types import UNSET, Response, Unset


def _get_kwargs(
    *,
    body: RtcTokenRequest,
    idempotency_key: str | Unset = UNSET,
) -> dict[str, Any]:
    headers: dict[str, Any] = {}
    if not isinstance(idempotency_key, Unset):
        headers["Idempotency-Key"] = idempotency_key

    _kwargs: dict[str, Any] = {
        "method": "post",
        "url": "/api/v1/rtc/token",
    }

    _kwargs["json"] = body.to_dict()

    headers["Content-Type"] = "application/json"

    _kwargs["headers"] = headers
    return _kwargs


def _parse_response(
    *, client: AuthenticatedClient | Client, response: httpx.Response
) -> Refusal | RtcTokenResult | None:
    if response.status_code == 200:
        response_200 = RtcTokenResult.from_dict(response.json())

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
) -> Response[Refusal | RtcTokenResult]:
    return Response(
        status_code=HTTPStatus(response.status_code),
        content=response.content,
        headers=response.headers,
        parsed=_parse_response(client=client, response=response),
    )


def sync_detailed(
    *,
    client: AuthenticatedClient,
    body: RtcTokenRequest,
    idempotency_key: str | Unset = UNSET,
) -> Response[Refusal | RtcTokenResult]:
    """Come into a room, or call

     Without an account at LiveKit, where pages call this server itself: a token for one call, good for
    15 minutes, which is made at `url` (rtc-connect) in the name of `identity`, and answered by
    `agentName` or the entry agent; `sessionId` is the session that the call gets, of the channel
    `voice`. With an account: an access token of LiveKit, good for 15 minutes, for the room of a
    session, which is made if it is not there. With `agentName` an agent participant of that name is
    dispatched to LiveKit's agents, once for each room. A session of that id in the project is the
    room's: it goes on as it did. Where there is none the room gets a session of the channel `voice`,
    which begins when somebody comes and ends with the room; `sessionId` of the answer is its id, by
    which chat-agent talks in it. While somebody is there, what is said in the session comes into the
    room as data messages of the topic `parley.text` ({id, text}), and its agent is in the room as a
    participant of the kind agent, who hears the microphones of people and what they write (topic
    `lk.chat`) and speaks (PCMU), unless another agent participant is there, or comes within 5 seconds
    where one was dispatched. A room counts until it is over, which its webhooks tell, or until nobody
    came for 16 minutes; one of which LiveKit does not say that it made it counts when somebody is let
    in.

    Args:
        idempotency_key (str | Unset):
        body (RtcTokenRequest):

    Raises:
        errors.UnexpectedStatus: If the server returns an undocumented status code and Client.raise_on_unexpected_status is True.
        httpx.TimeoutException: If the request takes longer than Client.timeout.

    Returns:
        Response[Refusal | RtcTokenResult]
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
    body: RtcTokenRequest,
    idempotency_key: str | Unset = UNSET,
) -> Refusal | RtcTokenResult | None:
    """Come into a room, or call

     Without an account at LiveKit, where pages call this server itself: a token for one call, good for
    15 minutes, which is made at `url` (rtc-connect) in the name of `identity`, and answered by
    `agentName` or the entry agent; `sessionId` is the session that the call gets, of the channel
    `voice`. With an account: an access token of LiveKit, good for 15 minutes, for the room of a
    session, which is made if it is not there. With `agentName` an agent participant of that name is
    dispatched to LiveKit's agents, once for each room. A session of that id in the project is the
    room's: it goes on as it did. Where there is none the room gets a session of the channel `voice`,
    which begins when somebody comes and ends with the room; `sessionId` of the answer is its id, by
    which chat-agent talks in it. While somebody is there, what is said in the session comes into the
    room as data messages of the topic `parley.text` ({id, text}), and its agent is in the room as a
    participant of the kind agent, who hears the microphones of people and what they write (topic
    `lk.chat`) and speaks (PCMU), unless another agent participant is there, or comes within 5 seconds
    where one was dispatched. A room counts until it is over, which its webhooks tell, or until nobody
    came for 16 minutes; one of which LiveKit does not say that it made it counts when somebody is let
    in.

    Args:
        idempotency_key (str | Unset):
        body (RtcTokenRequest):

    Raises:
        errors.UnexpectedStatus: If the server returns an undocumented status code and Client.raise_on_unexpected_status is True.
        httpx.TimeoutException: If the request takes longer than Client.timeout.

    Returns:
        Refusal | RtcTokenResult
    """

    return sync_detailed(
        client=client,
        body=body,
        idempotency_key=idempotency_key,
    ).parsed


async def asyncio_detailed(
    *,
    client: AuthenticatedClient,
    body: RtcTokenRequest,
    idempotency_key: str | Unset = UNSET,
) -> Response[Refusal | RtcTokenResult]:
    """Come into a room, or call

     Without an account at LiveKit, where pages call this server itself: a token for one call, good for
    15 minutes, which is made at `url` (rtc-connect) in the name of `identity`, and answered by
    `agentName` or the entry agent; `sessionId` is the session that the call gets, of the channel
    `voice`. With an account: an access token of LiveKit, good for 15 minutes, for the room of a
    session, which is made if it is not there. With `agentName` an agent participant of that name is
    dispatched to LiveKit's agents, once for each room. A session of that id in the project is the
    room's: it goes on as it did. Where there is none the room gets a session of the channel `voice`,
    which begins when somebody comes and ends with the room; `sessionId` of the answer is its id, by
    which chat-agent talks in it. While somebody is there, what is said in the session comes into the
    room as data messages of the topic `parley.text` ({id, text}), and its agent is in the room as a
    participant of the kind agent, who hears the microphones of people and what they write (topic
    `lk.chat`) and speaks (PCMU), unless another agent participant is there, or comes within 5 seconds
    where one was dispatched. A room counts until it is over, which its webhooks tell, or until nobody
    came for 16 minutes; one of which LiveKit does not say that it made it counts when somebody is let
    in.

    Args:
        idempotency_key (str | Unset):
        body (RtcTokenRequest):

    Raises:
        errors.UnexpectedStatus: If the server returns an undocumented status code and Client.raise_on_unexpected_status is True.
        httpx.TimeoutException: If the request takes longer than Client.timeout.

    Returns:
        Response[Refusal | RtcTokenResult]
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
    body: RtcTokenRequest,
    idempotency_key: str | Unset = UNSET,
) -> Refusal | RtcTokenResult | None:
    """Come into a room, or call

     Without an account at LiveKit, where pages call this server itself: a token for one call, good for
    15 minutes, which is made at `url` (rtc-connect) in the name of `identity`, and answered by
    `agentName` or the entry agent; `sessionId` is the session that the call gets, of the channel
    `voice`. With an account: an access token of LiveKit, good for 15 minutes, for the room of a
    session, which is made if it is not there. With `agentName` an agent participant of that name is
    dispatched to LiveKit's agents, once for each room. A session of that id in the project is the
    room's: it goes on as it did. Where there is none the room gets a session of the channel `voice`,
    which begins when somebody comes and ends with the room; `sessionId` of the answer is its id, by
    which chat-agent talks in it. While somebody is there, what is said in the session comes into the
    room as data messages of the topic `parley.text` ({id, text}), and its agent is in the room as a
    participant of the kind agent, who hears the microphones of people and what they write (topic
    `lk.chat`) and speaks (PCMU), unless another agent participant is there, or comes within 5 seconds
    where one was dispatched. A room counts until it is over, which its webhooks tell, or until nobody
    came for 16 minutes; one of which LiveKit does not say that it made it counts when somebody is let
    in.

    Args:
        idempotency_key (str | Unset):
        body (RtcTokenRequest):

    Raises:
        errors.UnexpectedStatus: If the server returns an undocumented status code and Client.raise_on_unexpected_status is True.
        httpx.TimeoutException: If the request takes longer than Client.timeout.

    Returns:
        Refusal | RtcTokenResult
    """

    return (
        await asyncio_detailed(
            client=client,
            body=body,
            idempotency_key=idempotency_key,
        )
    ).parsed
