from http import HTTPStatus
from typing import Any
from urllib.parse import quote

import httpx

from ... import errors
from ...client import AuthenticatedClient, Client
from ...models.refusal import Refusal
from ...models.summarize_again_result import SummarizeAgainResult
from ...types import UNSET, Response, Unset


def _get_kwargs(
    project_id: str,
    conversation_id: str,
    *,
    idempotency_key: str | Unset = UNSET,
) -> dict[str, Any]:
    headers: dict[str, Any] = {}
    if not isinstance(idempotency_key, Unset):
        headers["Idempotency-Key"] = idempotency_key

    _kwargs: dict[str, Any] = {
        "method": "post",
        "url": "/api/v1/projects/{project_id}/conversations/{conversation_id}/summary".format(
            project_id=quote(str(project_id), safe=""),
            conversation_id=quote(str(conversation_id), safe=""),
        ),
    }

    _kwargs["headers"] = headers
    return _kwargs


def _parse_response(
    *, client: AuthenticatedClient | Client, response: httpx.Response
) -> Refusal | SummarizeAgainResult | None:
    if response.status_code == 200:
        response_200 = SummarizeAgainResult.from_dict(response.json())

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
) -> Response[Refusal | SummarizeAgainResult]:
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
    idempotency_key: str | Unset = UNSET,
) -> Response[Refusal | SummarizeAgainResult]:
    """Ask for the summary of a conversation once more

     As it was triggered last, of all that was said until now: after it failed, or for another one. The
    new one takes the place of the one before at once. Allowed after the end as well. 409 before the
    first was triggered and while one is under way, 410 when all that was said is erased. A conversation
    has at most 10 summaries.

    Args:
        project_id (str):
        conversation_id (str):
        idempotency_key (str | Unset):

    Raises:
        errors.UnexpectedStatus: If the server returns an undocumented status code and Client.raise_on_unexpected_status is True.
        httpx.TimeoutException: If the request takes longer than Client.timeout.

    Returns:
        Response[Refusal | SummarizeAgainResult]
    """

    kwargs = _get_kwargs(
        project_id=project_id,
        conversation_id=conversation_id,
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
    idempotency_key: str | Unset = UNSET,
) -> Refusal | SummarizeAgainResult | None:
    """Ask for the summary of a conversation once more

     As it was triggered last, of all that was said until now: after it failed, or for another one. The
    new one takes the place of the one before at once. Allowed after the end as well. 409 before the
    first was triggered and while one is under way, 410 when all that was said is erased. A conversation
    has at most 10 summaries.

    Args:
        project_id (str):
        conversation_id (str):
        idempotency_key (str | Unset):

    Raises:
        errors.UnexpectedStatus: If the server returns an undocumented status code and Client.raise_on_unexpected_status is True.
        httpx.TimeoutException: If the request takes longer than Client.timeout.

    Returns:
        Refusal | SummarizeAgainResult
    """

    return sync_detailed(
        project_id=project_id,
        conversation_id=conversation_id,
        client=client,
        idempotency_key=idempotency_key,
    ).parsed


async def asyncio_detailed(
    project_id: str,
    conversation_id: str,
    *,
    client: AuthenticatedClient,
    idempotency_key: str | Unset = UNSET,
) -> Response[Refusal | SummarizeAgainResult]:
    """Ask for the summary of a conversation once more

     As it was triggered last, of all that was said until now: after it failed, or for another one. The
    new one takes the place of the one before at once. Allowed after the end as well. 409 before the
    first was triggered and while one is under way, 410 when all that was said is erased. A conversation
    has at most 10 summaries.

    Args:
        project_id (str):
        conversation_id (str):
        idempotency_key (str | Unset):

    Raises:
        errors.UnexpectedStatus: If the server returns an undocumented status code and Client.raise_on_unexpected_status is True.
        httpx.TimeoutException: If the request takes longer than Client.timeout.

    Returns:
        Response[Refusal | SummarizeAgainResult]
    """

    kwargs = _get_kwargs(
        project_id=project_id,
        conversation_id=conversation_id,
        idempotency_key=idempotency_key,
    )

    response = await client.get_async_httpx_client().request(**kwargs)

    return _build_response(client=client, response=response)


async def asyncio(
    project_id: str,
    conversation_id: str,
    *,
    client: AuthenticatedClient,
    idempotency_key: str | Unset = UNSET,
) -> Refusal | SummarizeAgainResult | None:
    """Ask for the summary of a conversation once more

     As it was triggered last, of all that was said until now: after it failed, or for another one. The
    new one takes the place of the one before at once. Allowed after the end as well. 409 before the
    first was triggered and while one is under way, 410 when all that was said is erased. A conversation
    has at most 10 summaries.

    Args:
        project_id (str):
        conversation_id (str):
        idempotency_key (str | Unset):

    Raises:
        errors.UnexpectedStatus: If the server returns an undocumented status code and Client.raise_on_unexpected_status is True.
        httpx.TimeoutException: If the request takes longer than Client.timeout.

    Returns:
        Refusal | SummarizeAgainResult
    """

    return (
        await asyncio_detailed(
            project_id=project_id,
            conversation_id=conversation_id,
            client=client,
            idempotency_key=idempotency_key,
        )
    ).parsed
