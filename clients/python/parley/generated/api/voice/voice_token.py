from http import HTTPStatus
from typing import Any

import httpx

from ... import errors
from ...client import AuthenticatedClient, Client
from ...models.refusal import Refusal
from ...models.voice_token_request import VoiceTokenRequest
from ...models.voice_token_result import VoiceTokenResult
from ...types import UNSET, Response, Unset


def _get_kwargs(
    *,
    body: VoiceTokenRequest,
    idempotency_key: str | Unset = UNSET,
) -> dict[str, Any]:
    headers: dict[str, Any] = {}
    if not isinstance(idempotency_key, Unset):
        headers["Idempotency-Key"] = idempotency_key

    _kwargs: dict[str, Any] = {
        "method": "post",
        "url": "/api/v1/voice/token",
    }

    _kwargs["json"] = body.to_dict()

    headers["Content-Type"] = "application/json"

    _kwargs["headers"] = headers
    return _kwargs


def _parse_response(
    *, client: AuthenticatedClient | Client, response: httpx.Response
) -> Refusal | VoiceTokenResult | None:
    if response.status_code == 200:
        response_200 = VoiceTokenResult.from_dict(response.json())

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
) -> Response[Refusal | VoiceTokenResult]:
    return Response(
        status_code=HTTPStatus(response.status_code),
        content=response.content,
        headers=response.headers,
        parsed=_parse_response(client=client, response=response),
    )


def sync_detailed(
    *,
    client: AuthenticatedClient,
    body: VoiceTokenRequest,
    idempotency_key: str | Unset = UNSET,
) -> Response[Refusal | VoiceTokenResult]:
    """A token with which a browser calls

     An access token of Twilio, good for an hour, by the newest active connection of the kind
    twilio_voice in the session's project that has an API key and an application. Without one, where
    pages call this server itself: a token for one call, good for 15 minutes, which is made at `url`
    (rtc-connect). The call comes in as one from `client:` and the identity, and gets a session of its
    own. An SDK token is for its own session, and needs a channel with voice.

    Args:
        idempotency_key (str | Unset):
        body (VoiceTokenRequest):

    Raises:
        errors.UnexpectedStatus: If the server returns an undocumented status code and Client.raise_on_unexpected_status is True.
        httpx.TimeoutException: If the request takes longer than Client.timeout.

    Returns:
        Response[Refusal | VoiceTokenResult]
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
    body: VoiceTokenRequest,
    idempotency_key: str | Unset = UNSET,
) -> Refusal | VoiceTokenResult | None:
    """A token with which a browser calls

     An access token of Twilio, good for an hour, by the newest active connection of the kind
    twilio_voice in the session's project that has an API key and an application. Without one, where
    pages call this server itself: a token for one call, good for 15 minutes, which is made at `url`
    (rtc-connect). The call comes in as one from `client:` and the identity, and gets a session of its
    own. An SDK token is for its own session, and needs a channel with voice.

    Args:
        idempotency_key (str | Unset):
        body (VoiceTokenRequest):

    Raises:
        errors.UnexpectedStatus: If the server returns an undocumented status code and Client.raise_on_unexpected_status is True.
        httpx.TimeoutException: If the request takes longer than Client.timeout.

    Returns:
        Refusal | VoiceTokenResult
    """

    return sync_detailed(
        client=client,
        body=body,
        idempotency_key=idempotency_key,
    ).parsed


async def asyncio_detailed(
    *,
    client: AuthenticatedClient,
    body: VoiceTokenRequest,
    idempotency_key: str | Unset = UNSET,
) -> Response[Refusal | VoiceTokenResult]:
    """A token with which a browser calls

     An access token of Twilio, good for an hour, by the newest active connection of the kind
    twilio_voice in the session's project that has an API key and an application. Without one, where
    pages call this server itself: a token for one call, good for 15 minutes, which is made at `url`
    (rtc-connect). The call comes in as one from `client:` and the identity, and gets a session of its
    own. An SDK token is for its own session, and needs a channel with voice.

    Args:
        idempotency_key (str | Unset):
        body (VoiceTokenRequest):

    Raises:
        errors.UnexpectedStatus: If the server returns an undocumented status code and Client.raise_on_unexpected_status is True.
        httpx.TimeoutException: If the request takes longer than Client.timeout.

    Returns:
        Response[Refusal | VoiceTokenResult]
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
    body: VoiceTokenRequest,
    idempotency_key: str | Unset = UNSET,
) -> Refusal | VoiceTokenResult | None:
    """A token with which a browser calls

     An access token of Twilio, good for an hour, by the newest active connection of the kind
    twilio_voice in the session's project that has an API key and an application. Without one, where
    pages call this server itself: a token for one call, good for 15 minutes, which is made at `url`
    (rtc-connect). The call comes in as one from `client:` and the identity, and gets a session of its
    own. An SDK token is for its own session, and needs a channel with voice.

    Args:
        idempotency_key (str | Unset):
        body (VoiceTokenRequest):

    Raises:
        errors.UnexpectedStatus: If the server returns an undocumented status code and Client.raise_on_unexpected_status is True.
        httpx.TimeoutException: If the request takes longer than Client.timeout.

    Returns:
        Refusal | VoiceTokenResult
    """

    return (
        await asyncio_detailed(
            client=client,
            body=body,
            idempotency_key=idempotency_key,
        )
    ).parsed
