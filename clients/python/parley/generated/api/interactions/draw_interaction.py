from http import HTTPStatus
from typing import Any
from urllib.parse import quote

import httpx

from ... import errors
from ...client import AuthenticatedClient, Client
from ...models.refusal import Refusal
from ...types import Response


def _get_kwargs(
    project_id: str,
    conversation_id: str,
) -> dict[str, Any]:
    _kwargs: dict[str, Any] = {
        "method": "get",
        "url": "/api/v1/projects/{project_id}/interactions/{conversation_id}/timeline.svg".format(
            project_id=quote(str(project_id), safe=""),
            conversation_id=quote(str(conversation_id), safe=""),
        ),
    }

    return _kwargs


def _parse_response(
    *, client: AuthenticatedClient | Client, response: httpx.Response
) -> Refusal | None:
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
) -> Response[Refusal]:
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
) -> Response[Refusal]:
    """The timeline of a call as a picture

     The levels of both sides over time, with what was heard, said and decided beside them.

    Args:
        project_id (str):
        conversation_id (str):

    Raises:
        errors.UnexpectedStatus: If the server returns an undocumented status code and Client.raise_on_unexpected_status is True.
        httpx.TimeoutException: If the request takes longer than Client.timeout.

    Returns:
        Response[Refusal]
    """

    kwargs = _get_kwargs(
        project_id=project_id,
        conversation_id=conversation_id,
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
) -> Refusal | None:
    """The timeline of a call as a picture

     The levels of both sides over time, with what was heard, said and decided beside them.

    Args:
        project_id (str):
        conversation_id (str):

    Raises:
        errors.UnexpectedStatus: If the server returns an undocumented status code and Client.raise_on_unexpected_status is True.
        httpx.TimeoutException: If the request takes longer than Client.timeout.

    Returns:
        Refusal
    """

    return sync_detailed(
        project_id=project_id,
        conversation_id=conversation_id,
        client=client,
    ).parsed


async def asyncio_detailed(
    project_id: str,
    conversation_id: str,
    *,
    client: AuthenticatedClient,
) -> Response[Refusal]:
    """The timeline of a call as a picture

     The levels of both sides over time, with what was heard, said and decided beside them.

    Args:
        project_id (str):
        conversation_id (str):

    Raises:
        errors.UnexpectedStatus: If the server returns an undocumented status code and Client.raise_on_unexpected_status is True.
        httpx.TimeoutException: If the request takes longer than Client.timeout.

    Returns:
        Response[Refusal]
    """

    kwargs = _get_kwargs(
        project_id=project_id,
        conversation_id=conversation_id,
    )

    response = await client.get_async_httpx_client().request(**kwargs)

    return _build_response(client=client, response=response)


async def asyncio(
    project_id: str,
    conversation_id: str,
    *,
    client: AuthenticatedClient,
) -> Refusal | None:
    """The timeline of a call as a picture

     The levels of both sides over time, with what was heard, said and decided beside them.

    Args:
        project_id (str):
        conversation_id (str):

    Raises:
        errors.UnexpectedStatus: If the server returns an undocumented status code and Client.raise_on_unexpected_status is True.
        httpx.TimeoutException: If the request takes longer than Client.timeout.

    Returns:
        Refusal
    """

    return (
        await asyncio_detailed(
            project_id=project_id,
            conversation_id=conversation_id,
            client=client,
        )
    ).parsed
