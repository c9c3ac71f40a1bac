from http import HTTPStatus
from typing import Any
from urllib.parse import quote

import httpx

from ... import errors
from ...client import AuthenticatedClient, Client
from ...models.note_conversation_request import NoteConversationRequest
from ...models.note_conversation_result import NoteConversationResult
from ...models.refusal import Refusal
from ...types import UNSET, Response, Unset


def _get_kwargs(
    project_id: str,
    conversation_id: str,
    *,
    body: NoteConversationRequest,
    idempotency_key: str | Unset = UNSET,
) -> dict[str, Any]:
    headers: dict[str, Any] = {}
    if not isinstance(idempotency_key, Unset):
        headers["Idempotency-Key"] = idempotency_key

    _kwargs: dict[str, Any] = {
        "method": "patch",
        "url": "/api/v1/projects/{project_id}/conversations/{conversation_id}".format(
            project_id=quote(str(project_id), safe=""),
            conversation_id=quote(str(conversation_id), safe=""),
        ),
    }

    _kwargs["json"] = body.to_dict()

    headers["Content-Type"] = "application/json"

    _kwargs["headers"] = headers
    return _kwargs


def _parse_response(
    *, client: AuthenticatedClient | Client, response: httpx.Response
) -> NoteConversationResult | Refusal | None:
    if response.status_code == 200:
        response_200 = NoteConversationResult.from_dict(response.json())

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
) -> Response[NoteConversationResult | Refusal]:
    return Response(
        status_code=HTTPStatus(response.status_code),
        content=response.content,
        headers=response.headers,
        parsed=_parse_response(client=client, response=response),
    )


def sync_detailed(
    project_id: str,
    conversation_id: str,
    *,
    client: AuthenticatedClient,
    body: NoteConversationRequest,
    idempotency_key: str | Unset = UNSET,
) -> Response[NoteConversationResult | Refusal]:
    """Set dispositions, remarks, notes, tags and after-call work of a conversation

     A member that is given takes the place of what was there; the others stay. After-call work is kept
    per agent. Allowed at any time, after the end as well. Call details report what is set here under
    the same names. A conversation belongs to one session: sessionId can be said once. The id of a call
    names its own conversation, whether or not agents were in it. 410: the call was forgotten, as who
    was called is erased or the project keeps calls no longer, and nothing was noted about it before.

    Args:
        project_id (str):
        conversation_id (str):
        idempotency_key (str | Unset):
        body (NoteConversationRequest):

    Raises:
        errors.UnexpectedStatus: If the server returns an undocumented status code and Client.raise_on_unexpected_status is True.
        httpx.TimeoutException: If the request takes longer than Client.timeout.

    Returns:
        Response[NoteConversationResult | Refusal]
    """

    kwargs = _get_kwargs(
        project_id=project_id,
        conversation_id=conversation_id,
        body=body,
        idempotency_key=idempotency_key,
    )

    response = client.get_httpx_client().request(
        **kwargs,
    )

    return _build_response(client=client, response=response)


def sync(
    project_id: str,
    conversation_id: str,
    *,
    client: AuthenticatedClient,
    body: NoteConversationRequest,
    idempotency_key: str | Unset = UNSET,
) -> NoteConversationResult | Refusal | None:
    """Set dispositions, remarks, notes, tags and after-call work of a conversation

     A member that is given takes the place of what was there; the others stay. After-call work is kept
    per agent. Allowed at any time, after the end as well. Call details report what is set here under
    the same names. A conversation belongs to one session: sessionId can be said once. The id of a call
    names its own conversation, whether or not agents were in it. 410: the call was forgotten, as who
    was called is erased or the project keeps calls no longer, and nothing was noted about it before.

    Args:
        project_id (str):
        conversation_id (str):
        idempotency_key (str | Unset):
        body (NoteConversationRequest):

    Raises:
        errors.UnexpectedStatus: If the server returns an undocumented status code and Client.raise_on_unexpected_status is True.
        httpx.TimeoutException: If the request takes longer than Client.timeout.

    Returns:
        NoteConversationResult | Refusal
    """

    return sync_detailed(
        project_id=project_id,
        conversation_id=conversation_id,
        client=client,
        body=body,
        idempotency_key=idempotency_key,
    ).parsed


async def asyncio_detailed(
    project_id: str,
    conversation_id: str,
    *,
    client: AuthenticatedClient,
    body: NoteConversationRequest,
    idempotency_key: str | Unset = UNSET,
) -> Response[NoteConversationResult | Refusal]:
    """Set dispositions, remarks, notes, tags and after-call work of a conversation

     A member that is given takes the place of what was there; the others stay. After-call work is kept
    per agent. Allowed at any time, after the end as well. Call details report what is set here under
    the same names. A conversation belongs to one session: sessionId can be said once. The id of a call
    names its own conversation, whether or not agents were in it. 410: the call was forgotten, as who
    was called is erased or the project keeps calls no longer, and nothing was noted about it before.

    Args:
        project_id (str):
        conversation_id (str):
        idempotency_key (str | Unset):
        body (NoteConversationRequest):

    Raises:
        errors.UnexpectedStatus: If the server returns an undocumented status code and Client.raise_on_unexpected_status is True.
        httpx.TimeoutException: If the request takes longer than Client.timeout.

    Returns:
        Response[NoteConversationResult | Refusal]
    """

    kwargs = _get_kwargs(
        project_id=project_id,
        conversation_id=conversation_id,
        body=body,
        idempotency_key=idempotency_key,
    )

    response = await client.get_async_httpx_client().request(**kwargs)

    return _build_response(client=client, response=response)


async def asyncio(
    project_id: str,
    conversation_id: str,
    *,
    client: AuthenticatedClient,
    body: NoteConversationRequest,
    idempotency_key: str | Unset = UNSET,
) -> NoteConversationResult | Refusal | None:
    """Set dispositions, remarks, notes, tags and after-call work of a conversation

     A member that is given takes the place of what was there; the others stay. After-call work is kept
    per agent. Allowed at any time, after the end as well. Call details report what is set here under
    the same names. A conversation belongs to one session: sessionId can be said once. The id of a call
    names its own conversation, whether or not agents were in it. 410: the call was forgotten, as who
    was called is erased or the project keeps calls no longer, and nothing was noted about it before.

    Args:
        project_id (str):
        conversation_id (str):
        idempotency_key (str | Unset):
        body (NoteConversationRequest):

    Raises:
        errors.UnexpectedStatus: If the server returns an undocumented status code and Client.raise_on_unexpected_status is True.
        httpx.TimeoutException: If the request takes longer than Client.timeout.

    Returns:
        NoteConversationResult | Refusal
    """

    return (
        await asyncio_detailed(
            project_id=project_id,
            conversation_id=conversation_id,
            client=client,
            body=body,
            idempotency_key=idempotency_key,
        )
    ).parsed
