from http import HTTPStatus
from typing import Any
from urllib.parse import quote

import httpx

from ... import errors
from ...client import AuthenticatedClient, Client
from ...models.add_voicemail_result import AddVoicemailResult
from ...models.refusal import Refusal
from ...types import UNSET, File, Response, Unset


def _get_kwargs(
    project_id: str,
    session_id: str,
    *,
    body: File,
    file_name: str | Unset = UNSET,
    language: str | Unset = UNSET,
    caller_id: str | Unset = UNSET,
    idempotency_key: str | Unset = UNSET,
) -> dict[str, Any]:
    headers: dict[str, Any] = {}
    if not isinstance(idempotency_key, Unset):
        headers["Idempotency-Key"] = idempotency_key

    params: dict[str, Any] = {}

    params["fileName"] = file_name

    params["language"] = language

    params["callerId"] = caller_id

    params = {k: v for k, v in params.items() if v is not UNSET and v is not None}

    _kwargs: dict[str, Any] = {
        "method": "post",
        "url": "/api/v1/projects/{project_id}/sessions/{session_id}/voicemails".format(
            project_id=quote(str(project_id), safe=""),
            session_id=quote(str(session_id), safe=""),
        ),
        "params": params,
    }

    _kwargs["content"] = body.payload
    headers["Content-Type"] = "application/octet-stream"

    _kwargs["headers"] = headers
    return _kwargs


def _parse_response(
    *, client: AuthenticatedClient | Client, response: httpx.Response
) -> AddVoicemailResult | Refusal | None:
    if response.status_code == 201:
        response_201 = AddVoicemailResult.from_dict(response.json())

        return response_201

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
) -> Response[AddVoicemailResult | Refusal]:
    return Response(
        status_code=HTTPStatus(response.status_code),
        content=response.content,
        headers=response.headers,
        parsed=_parse_response(client=client, response=response),
    )


def sync_detailed(
    project_id: str,
    session_id: str,
    *,
    client: AuthenticatedClient,
    body: File,
    file_name: str | Unset = UNSET,
    language: str | Unset = UNSET,
    caller_id: str | Unset = UNSET,
    idempotency_key: str | Unset = UNSET,
) -> Response[AddVoicemailResult | Refusal]:
    """Add a recording to a session

     The body is the recording itself, at most 10 MiB of WAV, MP3, Ogg, FLAC, MP4 or WebM audio under its
    Content-Type, or under application/octet-stream: then it is told by how it begins. It is transcribed
    afterwards.

    Args:
        project_id (str):
        session_id (str):
        file_name (str | Unset):
        language (str | Unset):
        caller_id (str | Unset):
        idempotency_key (str | Unset):
        body (File):

    Raises:
        errors.UnexpectedStatus: If the server returns an undocumented status code and Client.raise_on_unexpected_status is True.
        httpx.TimeoutException: If the request takes longer than Client.timeout.

    Returns:
        Response[AddVoicemailResult | Refusal]
    """

    kwargs = _get_kwargs(
        project_id=project_id,
        session_id=session_id,
        body=body,
        file_name=file_name,
        language=language,
        caller_id=caller_id,
        idempotency_key=idempotency_key,
    )

    response = client.get_httpx_client().request(
        **kwargs,
    )

    return _build_response(client=client, response=response)


def sync(
    project_id: str,
    session_id: str,
    *,
    client: AuthenticatedClient,
    body: File,
    file_name: str | Unset = UNSET,
    language: str | Unset = UNSET,
    caller_id: str | Unset = UNSET,
    idempotency_key: str | Unset = UNSET,
) -> AddVoicemailResult | Refusal | None:
    """Add a recording to a session

     The body is the recording itself, at most 10 MiB of WAV, MP3, Ogg, FLAC, MP4 or WebM audio under its
    Content-Type, or under application/octet-stream: then it is told by how it begins. It is transcribed
    afterwards.

    Args:
        project_id (str):
        session_id (str):
        file_name (str | Unset):
        language (str | Unset):
        caller_id (str | Unset):
        idempotency_key (str | Unset):
        body (File):

    Raises:
        errors.UnexpectedStatus: If the server returns an undocumented status code and Client.raise_on_unexpected_status is True.
        httpx.TimeoutException: If the request takes longer than Client.timeout.

    Returns:
        AddVoicemailResult | Refusal
    """

    return sync_detailed(
        project_id=project_id,
        session_id=session_id,
        client=client,
        body=body,
        file_name=file_name,
        language=language,
        caller_id=caller_id,
        idempotency_key=idempotency_key,
    ).parsed


async def asyncio_detailed(
    project_id: str,
    session_id: str,
    *,
    client: AuthenticatedClient,
    body: File,
    file_name: str | Unset = UNSET,
    language: str | Unset = UNSET,
    caller_id: str | Unset = UNSET,
    idempotency_key: str | Unset = UNSET,
) -> Response[AddVoicemailResult | Refusal]:
    """Add a recording to a session

     The body is the recording itself, at most 10 MiB of WAV, MP3, Ogg, FLAC, MP4 or WebM audio under its
    Content-Type, or under application/octet-stream: then it is told by how it begins. It is transcribed
    afterwards.

    Args:
        project_id (str):
        session_id (str):
        file_name (str | Unset):
        language (str | Unset):
        caller_id (str | Unset):
        idempotency_key (str | Unset):
        body (File):

    Raises:
        errors.UnexpectedStatus: If the server returns an undocumented status code and Client.raise_on_unexpected_status is True.
        httpx.TimeoutException: If the request takes longer than Client.timeout.

    Returns:
        Response[AddVoicemailResult | Refusal]
    """

    kwargs = _get_kwargs(
        project_id=project_id,
        session_id=session_id,
        body=body,
        file_name=file_name,
        language=language,
        caller_id=caller_id,
        idempotency_key=idempotency_key,
    )

    response = await client.get_async_httpx_client().request(**kwargs)

    return _build_response(client=client, response=response)


async def asyncio(
    project_id: str,
    session_id: str,
    *,
    client: AuthenticatedClient,
    body: File,
    file_name: str | Unset = UNSET,
    language: str | Unset = UNSET,
    caller_id: str | Unset = UNSET,
    idempotency_key: str | Unset = UNSET,
) -> AddVoicemailResult | Refusal | None:
    """Add a recording to a session

     The body is the recording itself, at most 10 MiB of WAV, MP3, Ogg, FLAC, MP4 or WebM audio under its
    Content-Type, or under application/octet-stream: then it is told by how it begins. It is transcribed
    afterwards.

    Args:
        project_id (str):
        session_id (str):
        file_name (str | Unset):
        language (str | Unset):
        caller_id (str | Unset):
        idempotency_key (str | Unset):
        body (File):

    Raises:
        errors.UnexpectedStatus: If the server returns an undocumented status code and Client.raise_on_unexpected_status is True.
        httpx.TimeoutException: If the request takes longer than Client.timeout.

    Returns:
        AddVoicemailResult | Refusal
    """

    return (
        await asyncio_detailed(
            project_id=project_id,
            session_id=session_id,
            client=client,
            body=body,
            file_name=file_name,
            language=language,
            caller_id=caller_id,
            idempotency_key=idempotency_key,
        )
    ).parsed
