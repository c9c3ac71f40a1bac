from http import HTTPStatus
from typing import Any

import httpx

from ... import errors
from ...client import AuthenticatedClient, Client
from ...models.open_ai_completion import OpenAICompletion
from ...models.open_ai_refusal import OpenAIRefusal
from ...models.open_ai_request import OpenAIRequest
from ...types import UNSET, Response, Unset


def _get_kwargs(
    *,
    body: OpenAIRequest,
    idempotency_key: str | Unset = UNSET,
    open_ai_project: str | Unset = UNSET,
    x_session_id: str | Unset = UNSET,
) -> dict[str, Any]:
    headers: dict[str, Any] = {}
    if not isinstance(idempotency_key, Unset):
        headers["Idempotency-Key"] = idempotency_key

    if not isinstance(open_ai_project, Unset):
        headers["OpenAI-Project"] = open_ai_project

    if not isinstance(x_session_id, Unset):
        headers["X-Session-Id"] = x_session_id

    _kwargs: dict[str, Any] = {
        "method": "post",
        "url": "/v1/chat/completions",
    }

    _kwargs["json"] = body.to_dict()

    headers["Content-Type"] = "application/json"

    _kwargs["headers"] = headers
    return _kwargs


def _parse_response(
    *, client: AuthenticatedClient | Client, response: httpx.Response
) -> OpenAICompletion | OpenAIRefusal | None:
    if response.status_code == 200:
        response_200 = OpenAICompletion.from_dict(response.json())

        return response_200

    if response.status_code == 400:
        response_400 = OpenAIRefusal.from_dict(response.json())

        return response_400

    if response.status_code == 401:
        response_401 = OpenAIRefusal.from_dict(response.json())

        return response_401

    if response.status_code == 403:
        response_403 = OpenAIRefusal.from_dict(response.json())

        return response_403

    if response.status_code == 404:
        response_404 = OpenAIRefusal.from_dict(response.json())

        return response_404

    if response.status_code == 409:
        response_409 = OpenAIRefusal.from_dict(response.json())

        return response_409

    if response.status_code == 410:
        response_410 = OpenAIRefusal.from_dict(response.json())

        return response_410

    if response.status_code == 413:
        response_413 = OpenAIRefusal.from_dict(response.json())

        return response_413

    if response.status_code == 429:
        response_429 = OpenAIRefusal.from_dict(response.json())

        return response_429

    if response.status_code == 500:
        response_500 = OpenAIRefusal.from_dict(response.json())

        return response_500

    if response.status_code == 503:
        response_503 = OpenAIRefusal.from_dict(response.json())

        return response_503

    if client.raise_on_unexpected_status:
        raise errors.UnexpectedStatus(response.status_code, response.content)
    else:
        return None


def _build_response(
    *, client: AuthenticatedClient | Client, response: httpx.Response
) -> Response[OpenAICompletion | OpenAIRefusal]:
    return Response(
        status_code=HTTPStatus(response.status_code),
        content=response.content,
        headers=response.headers,
        parsed=_parse_response(client=client, response=response),
    )


def sync_detailed(
    *,
    client: AuthenticatedClient,
    body: OpenAIRequest,
    idempotency_key: str | Unset = UNSET,
    open_ai_project: str | Unset = UNSET,
    x_session_id: str | Unset = UNSET,
) -> Response[OpenAICompletion | OpenAIRefusal]:
    """Talk with a deployment or a model, in OpenAI's form

     Where `model` is the `endpointSlug` of a deployment, the last message of the user is a turn of the
    session that `metadata.sessionId` or `X-Session-Id` names, or of a new one; the session knows what
    was said before, so other messages are passed over, and tools and figures are the agents' own. The
    answer has the session in both places. Where `model` is a model of the project or of the server, it
    is a completion as of complete-chat, for the project of the API key or of the header `OpenAI-
    Project`. With `stream` it comes as Server-Sent Events, of which the last is `[DONE]`; one that
    breaks off ends with `error` instead.

    Args:
        idempotency_key (str | Unset):
        open_ai_project (str | Unset):
        x_session_id (str | Unset):
        body (OpenAIRequest):

    Raises:
        errors.UnexpectedStatus: If the server returns an undocumented status code and Client.raise_on_unexpected_status is True.
        httpx.TimeoutException: If the request takes longer than Client.timeout.

    Returns:
        Response[OpenAICompletion | OpenAIRefusal]
    """

    kwargs = _get_kwargs(
        body=body,
        idempotency_key=idempotency_key,
        open_ai_project=open_ai_project,
        x_session_id=x_session_id,
    )

    response = client.get_httpx_client().request(
        **kwargs,
    )

    return _build_response(client=client, response=response)


def sync(
    *,
    client: AuthenticatedClient,
    body: OpenAIRequest,
    idempotency_key: str | Unset = UNSET,
    open_ai_project: str | Unset = UNSET,
    x_session_id: str | Unset = UNSET,
) -> OpenAICompletion | OpenAIRefusal | None:
    """Talk with a deployment or a model, in OpenAI's form

     Where `model` is the `endpointSlug` of a deployment, the last message of the user is a turn of the
    session that `metadata.sessionId` or `X-Session-Id` names, or of a new one; the session knows what
    was said before, so other messages are passed over, and tools and figures are the agents' own. The
    answer has the session in both places. Where `model` is a model of the project or of the server, it
    is a completion as of complete-chat, for the project of the API key or of the header `OpenAI-
    Project`. With `stream` it comes as Server-Sent Events, of which the last is `[DONE]`; one that
    breaks off ends with `error` instead.

    Args:
        idempotency_key (str | Unset):
        open_ai_project (str | Unset):
        x_session_id (str | Unset):
        body (OpenAIRequest):

    Raises:
        errors.UnexpectedStatus: If the server returns an undocumented status code and Client.raise_on_unexpected_status is True.
        httpx.TimeoutException: If the request takes longer than Client.timeout.

    Returns:
        OpenAICompletion | OpenAIRefusal
    """

    return sync_detailed(
        client=client,
        body=body,
        idempotency_key=idempotency_key,
        open_ai_project=open_ai_project,
        x_session_id=x_session_id,
    ).parsed


async def asyncio_detailed(
    *,
    client: AuthenticatedClient,
    body: OpenAIRequest,
    idempotency_key: str | Unset = UNSET,
    open_ai_project: str | Unset = UNSET,
    x_session_id: str | Unset = UNSET,
) -> Response[OpenAICompletion | OpenAIRefusal]:
    """Talk with a deployment or a model, in OpenAI's form

     Where `model` is the `endpointSlug` of a deployment, the last message of the user is a turn of the
    session that `metadata.sessionId` or `X-Session-Id` names, or of a new one; the session knows what
    was said before, so other messages are passed over, and tools and figures are the agents' own. The
    answer has the session in both places. Where `model` is a model of the project or of the server, it
    is a completion as of complete-chat, for the project of the API key or of the header `OpenAI-
    Project`. With `stream` it comes as Server-Sent Events, of which the last is `[DONE]`; one that
    breaks off ends with `error` instead.

    Args:
        idempotency_key (str | Unset):
        open_ai_project (str | Unset):
        x_session_id (str | Unset):
        body (OpenAIRequest):

    Raises:
        errors.UnexpectedStatus: If the server returns an undocumented status code and Client.raise_on_unexpected_status is True.
        httpx.TimeoutException: If the request takes longer than Client.timeout.

    Returns:
        Response[OpenAICompletion | OpenAIRefusal]
    """

    kwargs = _get_kwargs(
        body=body,
        idempotency_key=idempotency_key,
        open_ai_project=open_ai_project,
        x_session_id=x_session_id,
    )

    response = await client.get_async_httpx_client().request(**kwargs)

    return _build_response(client=client, response=response)


async def asyncio(
    *,
    client: AuthenticatedClient,
    body: OpenAIRequest,
    idempotency_key: str | Unset = UNSET,
    open_ai_project: str | Unset = UNSET,
    x_session_id: str | Unset = UNSET,
) -> OpenAICompletion | OpenAIRefusal | None:
    """Talk with a deployment or a model, in OpenAI's form

     Where `model` is the `endpointSlug` of a deployment, the last message of the user is a turn of the
    session that `metadata.sessionId` or `X-Session-Id` names, or of a new one; the session knows what
    was said before, so other messages are passed over, and tools and figures are the agents' own. The
    answer has the session in both places. Where `model` is a model of the project or of the server, it
    is a completion as of complete-chat, for the project of the API key or of the header `OpenAI-
    Project`. With `stream` it comes as Server-Sent Events, of which the last is `[DONE]`; one that
    breaks off ends with `error` instead.

    Args:
        idempotency_key (str | Unset):
        open_ai_project (str | Unset):
        x_session_id (str | Unset):
        body (OpenAIRequest):

    Raises:
        errors.UnexpectedStatus: If the server returns an undocumented status code and Client.raise_on_unexpected_status is True.
        httpx.TimeoutException: If the request takes longer than Client.timeout.

    Returns:
        OpenAICompletion | OpenAIRefusal
    """

    return (
        await asyncio_detailed(
            client=client,
            body=body,
            idempotency_key=idempotency_key,
            open_ai_project=open_ai_project,
            x_session_id=x_session_id,
        )
    ).parsed
