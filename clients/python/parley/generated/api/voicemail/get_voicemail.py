from http import HTTPStatus
from typing import Any
from urllib.parse import quote

import httpx

from ... import errors
from ...client import AuthenticatedClient, Client
from ...models.get_voicemail_transcription import GetVoicemailTranscription
from ...models.refusal import Refusal
from ...models.voicemail_result import VoicemailResult
from ...types import UNSET, Response


def _get_kwargs(
    bot_id: str,
    *,
    session_id: str,
    transcription: GetVoicemailTranscription,
) -> dict[str, Any]:
    params: dict[str, Any] = {}

    params["sessionId"] = session_id

    json_transcription = transcription.value
    params["transcription"] = json_transcription

    params = {k: v for k, v in params.items() if v is not UNSET and v is not None}

    _kwargs: dict[str, Any] = {
        "method": "get",
        "url": "/api/public/bot/{bot_id}/voicemail".format(
            bot_id=quote(str(bot_id), safe=""),
        ),
        "params": params,
    }

    return _kwargs


def _parse_response(
    *, client: AuthenticatedClient | Client, response: httpx.Response
) -> Refusal | VoicemailResult | None:
    if response.status_code == 200:
        response_200 = VoicemailResult.from_dict(response.json())

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
) -> Response[Refusal | VoicemailResult]:
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
    session_id: str,
    transcription: GetVoicemailTranscription,
) -> Response[Refusal | VoicemailResult]:
    """The voicemail of a session, and its transcripts

     A transcript is there a moment after its recording; transcriptionStatus tells. A session without
    voicemail has empty arrays.

    Args:
        bot_id (str):
        session_id (str):
        transcription (GetVoicemailTranscription):

    Raises:
        errors.UnexpectedStatus: If the server returns an undocumented status code and Client.raise_on_unexpected_status is True.
        httpx.TimeoutException: If the request takes longer than Client.timeout.

    Returns:
        Response[Refusal | VoicemailResult]
    """

    kwargs = _get_kwargs(
        bot_id=bot_id,
        session_id=session_id,
        transcription=transcription,
    )

    response = client.get_httpx_client().request(
        **kwargs,
    )

    return _build_response(client=client, response=response)


def sync(
    bot_id: str,
    *,
    client: AuthenticatedClient,
    session_id: str,
    transcription: GetVoicemailTranscription,
) -> Refusal | VoicemailResult | None:
    """The voicemail of a session, and its transcripts

     A transcript is there a moment after its recording; transcriptionStatus tells. A session without
    voicemail has empty arrays.

    Args:
        bot_id (str):
        session_id (str):
        transcription (GetVoicemailTranscription):

    Raises:
        errors.UnexpectedStatus: If the server returns an undocumented status code and Client.raise_on_unexpected_status is True.
        httpx.TimeoutException: If the request takes longer than Client.timeout.

    Returns:
        Refusal | VoicemailResult
    """

    return sync_detailed(
        bot_id=bot_id,
        client=client,
        session_id=session_id,
        transcription=transcription,
    ).parsed


async def asyncio_detailed(
    bot_id: str,
    *,
    client: AuthenticatedClient,
    session_id: str,
    transcription: GetVoicemailTranscription,
) -> Response[Refusal | VoicemailResult]:
    """The voicemail of a session, and its transcripts

     A transcript is there a moment after its recording; transcriptionStatus tells. A session without
    voicemail has empty arrays.

    Args:
        bot_id (str):
        session_id (str):
        transcription (GetVoicemailTranscription):

    Raises:
        errors.UnexpectedStatus: If the server returns an undocumented status code and Client.raise_on_unexpected_status is True.
        httpx.TimeoutException: If the request takes longer than Client.timeout.

    Returns:
        Response[Refusal | VoicemailResult]
    """

    kwargs = _get_kwargs(
        bot_id=bot_id,
        session_id=session_id,
        transcription=transcription,
    )

    response = await client.get_async_httpx_client().request(**kwargs)

    return _build_response(client=client, response=response)


async def asyncio(
    bot_id: str,
    *,
    client: AuthenticatedClient,
    session_id: str,
    transcription: GetVoicemailTranscription,
) -> Refusal | VoicemailResult | None:
    """The voicemail of a session, and its transcripts

     A transcript is there a moment after its recording; transcriptionStatus tells. A session without
    voicemail has empty arrays.

    Args:
        bot_id (str):
        session_id (str):
        transcription (GetVoicemailTranscription):

    Raises:
        errors.UnexpectedStatus: If the server returns an undocumented status code and Client.raise_on_unexpected_status is True.
        httpx.TimeoutException: If the request takes longer than Client.timeout.

    Returns:
        Refusal | VoicemailResult
    """

    return (
        await asyncio_detailed(
            bot_id=bot_id,
            client=client,
            session_id=session_id,
            transcription=transcription,
        )
    ).parsed
