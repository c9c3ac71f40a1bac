from http import HTTPStatus
from typing import Any

import httpx

from ... import errors
from ...client import AuthenticatedClient, Client
from ...models.refusal import Refusal
from ...types import UNSET, Response, Unset


def _get_kwargs(
    *,
    idempotency_key: str | Unset = UNSET,
) -> dict[str, Any]:
    headers: dict[str, Any] = {}
    if not isinstance(idempotency_key, Unset):
        headers["Idempotency-Key"] = idempotency_key

    _kwargs: dict[str, Any] = {
        "method": "post",
        "url": "/api/v1/voice/connect",
    }

    _kwargs["headers"] = headers
    return _kwargs


def _parse_response(
    *, client: AuthenticatedClient | Client, response: httpx.Response
) -> Refusal | str | None:
    if response.status_code == 200:
        response_200 = response.text
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
) -> Response[Refusal | str]:
    return Response(
        status_code=HTTPStatus(response.status_code),
        content=response.content,
        headers=response.headers,
        parsed=_parse_response(client=client, response=response),
    )


def sync_detailed(
    *,
    client: AuthenticatedClient | Client,
    idempotency_key: str | Unset = UNSET,
) -> Response[Refusal | str]:
    """A telephone call comes in

     Called by Twilio, with a form: the webhook of a number, or of the application with which browsers
    call. The connection of the kind twilio_voice is that of the number which was called (`To`), or of
    the session whose browser calls; its auth token judges X-Twilio-Signature, over the address below
    --public-url. The call is answered by the agent that the connection leads to: a session of the
    channel `voice` begins, one for each CallSid, and the answer has the sound streamed to voice-stream
    with a token that opens it once. A number that nobody has connected, and a call that nobody can
    answer, are rejected. A repeat is answered alike.

    Args:
        idempotency_key (str | Unset):

    Raises:
        errors.UnexpectedStatus: If the server returns an undocumented status code and Client.raise_on_unexpected_status is True.
        httpx.TimeoutException: If the request takes longer than Client.timeout.

    Returns:
        Response[Refusal | str]
    """

    kwargs = _get_kwargs(
        idempotency_key=idempotency_key,
    )

    response = client.get_httpx_client().request(
        **kwargs,
    )

    return _build_response(client=client, response=response)


def sync(
    *,
    client: AuthenticatedClient | Client,
    idempotency_key: str | Unset = UNSET,
) -> Refusal | str | None:
    """A telephone call comes in

     Called by Twilio, with a form: the webhook of a number, or of the application with which browsers
    call. The connection of the kind twilio_voice is that of the number which was called (`To`), or of
    the session whose browser calls; its auth token judges X-Twilio-Signature, over the address below
    --public-url. The call is answered by the agent that the connection leads to: a session of the
    channel `voice` begins, one for each CallSid, and the answer has the sound streamed to voice-stream
    with a token that opens it once. A number that nobody has connected, and a call that nobody can
    answer, are rejected. A repeat is answered alike.

    Args:
        idempotency_key (str | Unset):

    Raises:
        errors.UnexpectedStatus: If the server returns an undocumented status code and Client.raise_on_unexpected_status is True.
        httpx.TimeoutException: If the request takes longer than Client.timeout.

    Returns:
        Refusal | str
    """

    return sync_detailed(
        client=client,
        idempotency_key=idempotency_key,
    ).parsed


async def asyncio_detailed(
    *,
    client: AuthenticatedClient | Client,
    idempotency_key: str | Unset = UNSET,
) -> Response[Refusal | str]:
    """A telephone call comes in

     Called by Twilio, with a form: the webhook of a number, or of the application with which browsers
    call. The connection of the kind twilio_voice is that of the number which was called (`To`), or of
    the session whose browser calls; its auth token judges X-Twilio-Signature, over the address below
    --public-url. The call is answered by the agent that the connection leads to: a session of the
    channel `voice` begins, one for each CallSid, and the answer has the sound streamed to voice-stream
    with a token that opens it once. A number that nobody has connected, and a call that nobody can
    answer, are rejected. A repeat is answered alike.

    Args:
        idempotency_key (str | Unset):

    Raises:
        errors.UnexpectedStatus: If the server returns an undocumented status code and Client.raise_on_unexpected_status is True.
        httpx.TimeoutException: If the request takes longer than Client.timeout.

    Returns:
        Response[Refusal | str]
    """

    kwargs = _get_kwargs(
        idempotency_key=idempotency_key,
    )

    response = await client.get_async_httpx_client().request(**kwargs)

    return _build_response(client=client, response=response)


async def asyncio(
    *,
    client: AuthenticatedClient | Client,
    idempotency_key: str | Unset = UNSET,
) -> Refusal | str | None:
    """A telephone call comes in

     Called by Twilio, with a form: the webhook of a number, or of the application with which browsers
    call. The connection of the kind twilio_voice is that of the number which was called (`To`), or of
    the session whose browser calls; its auth token judges X-Twilio-Signature, over the address below
    --public-url. The call is answered by the agent that the connection leads to: a session of the
    channel `voice` begins, one for each CallSid, and the answer has the sound streamed to voice-stream
    with a token that opens it once. A number that nobody has connected, and a call that nobody can
    answer, are rejected. A repeat is answered alike.

    Args:
        idempotency_key (str | Unset):

    Raises:
        errors.UnexpectedStatus: If the server returns an undocumented status code and Client.raise_on_unexpected_status is True.
        httpx.TimeoutException: If the request takes longer than Client.timeout.

    Returns:
        Refusal | str
    """

    return (
        await asyncio_detailed(
            client=client,
            idempotency_key=idempotency_key,
        )
    ).parsed
