from http import HTTPStatus
from typing import Any
from urllib.parse import quote

import httpx

from ... import errors
from ...client import AuthenticatedClient, Client
from ...models.get_conversation_result import GetConversationResult
from ...models.refusal import Refusal
from ...types import UNSET, Response, Unset


def _get_kwargs(
    project_id: str,
    conversation_id: str,
    *,
    limit: int | Unset = 50,
    offset: int | Unset = 0,
) -> dict[str, Any]:
    params: dict[str, Any] = {}

    params["limit"] = limit

    params["offset"] = offset

    params = {k: v for k, v in params.items() if v is not UNSET and v is not None}

    _kwargs: dict[str, Any] = {
        "method": "get",
        "url": "/api/v1/projects/{project_id}/conversations/{conversation_id}".format(
            project_id=quote(str(project_id), safe=""),
            conversation_id=quote(str(conversation_id), safe=""),
        ),
        "params": params,
    }

    return _kwargs


def _parse_response(
    *, client: AuthenticatedClient | Client, response: httpx.Response
) -> GetConversationResult | Refusal | None:
    if response.status_code == 200:
        response_200 = GetConversationResult.from_dict(response.json())

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
) -> Response[GetConversationResult | Refusal]:
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
    limit: int | Unset = 50,
    offset: int | Unset = 0,
) -> Response[GetConversationResult | Refusal]:
    """Read a conversation with its agents, messages, summary and notes

     limit and offset page the messages, oldest first. summary is absent until one is triggered; assist
    is pending on messages that ask the assisting agent, until that has answered or failed. The id of a
    call names its own conversation, which is empty until something is noted or told of it.

    Args:
        project_id (str):
        conversation_id (str):
        limit (int | Unset):  Default: 50.
        offset (int | Unset):  Default: 0.

    Raises:
        errors.UnexpectedStatus: If the server returns an undocumented status code and Client.raise_on_unexpected_status is True.
        httpx.TimeoutException: If the request takes longer than Client.timeout.

    Returns:
        Response[GetConversationResult | Refusal]
    """

    kwargs = _get_kwargs(
        project_id=project_id,
        conversation_id=conversation_id,
        limit=limit,
        offset=offset,
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
    limit: int | Unset = 50,
    offset: int | Unset = 0,
) -> GetConversationResult | Refusal | None:
    """Read a conversation with its agents, messages, summary and notes

     limit and offset page the messages, oldest first. summary is absent until one is triggered; assist
    is pending on messages that ask the assisting agent, until that has answered or failed. The id of a
    call names its own conversation, which is empty until something is noted or told of it.

    Args:
        project_id (str):
        conversation_id (str):
        limit (int | Unset):  Default: 50.
        offset (int | Unset):  Default: 0.

    Raises:
        errors.UnexpectedStatus: If the server returns an undocumented status code and Client.raise_on_unexpected_status is True.
        httpx.TimeoutException: If the request takes longer than Client.timeout.

    Returns:
        GetConversationResult | Refusal
    """

    return sync_detailed(
        project_id=project_id,
        conversation_id=conversation_id,
        client=client,
        limit=limit,
        offset=offset,
    ).parsed


async def asyncio_detailed(
    project_id: str,
    conversation_id: str,
    *,
    client: AuthenticatedClient,
    limit: int | Unset = 50,
    offset: int | Unset = 0,
) -> Response[GetConversationResult | Refusal]:
    """Read a conversation with its agents, messages, summary and notes

     limit and offset page the messages, oldest first. summary is absent until one is triggered; assist
    is pending on messages that ask the assisting agent, until that has answered or failed. The id of a
    call names its own conversation, which is empty until something is noted or told of it.

    Args:
        project_id (str):
        conversation_id (str):
        limit (int | Unset):  Default: 50.
        offset (int | Unset):  Default: 0.

    Raises:
        errors.UnexpectedStatus: If the server returns an undocumented status code and Client.raise_on_unexpected_status is True.
        httpx.TimeoutException: If the request takes longer than Client.timeout.

    Returns:
        Response[GetConversationResult | Refusal]
    """

    kwargs = _get_kwargs(
        project_id=project_id,
        conversation_id=conversation_id,
        limit=limit,
        offset=offset,
    )

    response = await client.get_async_httpx_client().request(**kwargs)

    return _build_response(client=client, response=response)


async def asyncio(
    project_id: str,
    conversation_id: str,
    *,
    client: AuthenticatedClient,
    limit: int | Unset = 50,
    offset: int | Unset = 0,
) -> GetConversationResult | Refusal | None:
    """Read a conversation with its agents, messages, summary and notes

     limit and offset page the messages, oldest first. summary is absent until one is triggered; assist
    is pending on messages that ask the assisting agent, until that has answered or failed. The id of a
    call names its own conversation, which is empty until something is noted or told of it.

    Args:
        project_id (str):
        conversation_id (str):
        limit (int | Unset):  Default: 50.
        offset (int | Unset):  Default: 0.

    Raises:
        errors.UnexpectedStatus: If the server returns an undocumented status code and Client.raise_on_unexpected_status is True.
        httpx.TimeoutException: If the request takes longer than Client.timeout.

    Returns:
        GetConversationResult | Refusal
    """

    return (
        await asyncio_detailed(
            project_id=project_id,
            conversation_id=conversation_id,
            client=client,
            limit=limit,
            offset=offset,
        )
    ).parsed
