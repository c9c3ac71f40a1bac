from http import HTTPStatus
from typing import Any
from urllib.parse import quote

import httpx

from ... import errors
from ...client import AuthenticatedClient, Client
from ...models.refusal import Refusal
from ...models.session_traces_include import SessionTracesInclude
from ...models.traces_result import TracesResult
from ...types import UNSET, Response, Unset


def _get_kwargs(
    project_id: str,
    id: str,
    *,
    event_type: str | Unset = UNSET,
    decision_kind: str | Unset = UNSET,
    span_id: str | Unset = UNSET,
    include: SessionTracesInclude | Unset = UNSET,
    limit: int | Unset = 100,
    offset: int | Unset = 0,
) -> dict[str, Any]:
    params: dict[str, Any] = {}

    params["eventType"] = event_type

    params["decisionKind"] = decision_kind

    params["spanId"] = span_id

    json_include: str | Unset = UNSET
    if not isinstance(include, Unset):
        json_include = include.value

    params["include"] = json_include

    params["limit"] = limit

    params["offset"] = offset

    params = {k: v for k, v in params.items() if v is not UNSET and v is not None}

    _kwargs: dict[str, Any] = {
        "method": "get",
        "url": "/api/projects/{project_id}/sessions/{id}/traces".format(
            project_id=quote(str(project_id), safe=""),
            id=quote(str(id), safe=""),
        ),
        "params": params,
    }

    return _kwargs


def _parse_response(
    *, client: AuthenticatedClient | Client, response: httpx.Response
) -> Refusal | TracesResult | None:
    if response.status_code == 200:
        response_200 = TracesResult.from_dict(response.json())

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
) -> Response[Refusal | TracesResult]:
    return Response(
        status_code=HTTPStatus(response.status_code),
        content=response.content,
        headers=response.headers,
        parsed=_parse_response(client=client, response=response),
    )


def sync_detailed(
    project_id: str,
    id: str,
    *,
    client: AuthenticatedClient,
    event_type: str | Unset = UNSET,
    decision_kind: str | Unset = UNSET,
    span_id: str | Unset = UNSET,
    include: SessionTracesInclude | Unset = UNSET,
    limit: int | Unset = 100,
    offset: int | Unset = 0,
) -> Response[Refusal | TracesResult]:
    """Read what happened in a session

     Oldest first. Each event is in a span: of the turn, of an agent in it, or of a step of that agent.
    The span of a turn has the session's id with the turn's number. Of a session by a channel,
    `delivery` says what became of each reply: `status`, `attempts`, and `code` and `reason` of the last
    that failed.

    Args:
        project_id (str):
        id (str):
        event_type (str | Unset):
        decision_kind (str | Unset):
        span_id (str | Unset):
        include (SessionTracesInclude | Unset):
        limit (int | Unset):  Default: 100.
        offset (int | Unset):  Default: 0.

    Raises:
        errors.UnexpectedStatus: If the server returns an undocumented status code and Client.raise_on_unexpected_status is True.
        httpx.TimeoutException: If the request takes longer than Client.timeout.

    Returns:
        Response[Refusal | TracesResult]
    """

    kwargs = _get_kwargs(
        project_id=project_id,
        id=id,
        event_type=event_type,
        decision_kind=decision_kind,
        span_id=span_id,
        include=include,
        limit=limit,
        offset=offset,
    )

    response = client.get_httpx_client().request(
        **kwargs,
    )

    return _build_response(client=client, response=response)


def sync(
    project_id: str,
    id: str,
    *,
    client: AuthenticatedClient,
    event_type: str | Unset = UNSET,
    decision_kind: str | Unset = UNSET,
    span_id: str | Unset = UNSET,
    include: SessionTracesInclude | Unset = UNSET,
    limit: int | Unset = 100,
    offset: int | Unset = 0,
) -> Refusal | TracesResult | None:
    """Read what happened in a session

     Oldest first. Each event is in a span: of the turn, of an agent in it, or of a step of that agent.
    The span of a turn has the session's id with the turn's number. Of a session by a channel,
    `delivery` says what became of each reply: `status`, `attempts`, and `code` and `reason` of the last
    that failed.

    Args:
        project_id (str):
        id (str):
        event_type (str | Unset):
        decision_kind (str | Unset):
        span_id (str | Unset):
        include (SessionTracesInclude | Unset):
        limit (int | Unset):  Default: 100.
        offset (int | Unset):  Default: 0.

    Raises:
        errors.UnexpectedStatus: If the server returns an undocumented status code and Client.raise_on_unexpected_status is True.
        httpx.TimeoutException: If the request takes longer than Client.timeout.

    Returns:
        Refusal | TracesResult
    """

    return sync_detailed(
        project_id=project_id,
        id=id,
        client=client,
        event_type=event_type,
        decision_kind=decision_kind,
        span_id=span_id,
        include=include,
        limit=limit,
        offset=offset,
    ).parsed


async def asyncio_detailed(
    project_id: str,
    id: str,
    *,
    client: AuthenticatedClient,
    event_type: str | Unset = UNSET,
    decision_kind: str | Unset = UNSET,
    span_id: str | Unset = UNSET,
    include: SessionTracesInclude | Unset = UNSET,
    limit: int | Unset = 100,
    offset: int | Unset = 0,
) -> Response[Refusal | TracesResult]:
    """Read what happened in a session

     Oldest first. Each event is in a span: of the turn, of an agent in it, or of a step of that agent.
    The span of a turn has the session's id with the turn's number. Of a session by a channel,
    `delivery` says what became of each reply: `status`, `attempts`, and `code` and `reason` of the last
    that failed.

    Args:
        project_id (str):
        id (str):
        event_type (str | Unset):
        decision_kind (str | Unset):
        span_id (str | Unset):
        include (SessionTracesInclude | Unset):
        limit (int | Unset):  Default: 100.
        offset (int | Unset):  Default: 0.

    Raises:
        errors.UnexpectedStatus: If the server returns an undocumented status code and Client.raise_on_unexpected_status is True.
        httpx.TimeoutException: If the request takes longer than Client.timeout.

    Returns:
        Response[Refusal | TracesResult]
    """

    kwargs = _get_kwargs(
        project_id=project_id,
        id=id,
        event_type=event_type,
        decision_kind=decision_kind,
        span_id=span_id,
        include=include,
        limit=limit,
        offset=offset,
    )

    response = await client.get_async_httpx_client().request(**kwargs)

    return _build_response(client=client, response=response)


async def asyncio(
    project_id: str,
    id: str,
    *,
    client: AuthenticatedClient,
    event_type: str | Unset = UNSET,
    decision_kind: str | Unset = UNSET,
    span_id: str | Unset = UNSET,
    include: SessionTracesInclude | Unset = UNSET,
    limit: int | Unset = 100,
    offset: int | Unset = 0,
) -> Refusal | TracesResult | None:
    """Read what happened in a session

     Oldest first. Each event is in a span: of the turn, of an agent in it, or of a step of that agent.
    The span of a turn has the session's id with the turn's number. Of a session by a channel,
    `delivery` says what became of each reply: `status`, `attempts`, and `code` and `reason` of the last
    that failed.

    Args:
        project_id (str):
        id (str):
        event_type (str | Unset):
        decision_kind (str | Unset):
        span_id (str | Unset):
        include (SessionTracesInclude | Unset):
        limit (int | Unset):  Default: 100.
        offset (int | Unset):  Default: 0.

    Raises:
        errors.UnexpectedStatus: If the server returns an undocumented status code and Client.raise_on_unexpected_status is True.
        httpx.TimeoutException: If the request takes longer than Client.timeout.

    Returns:
        Refusal | TracesResult
    """

    return (
        await asyncio_detailed(
            project_id=project_id,
            id=id,
            client=client,
            event_type=event_type,
            decision_kind=decision_kind,
            span_id=span_id,
            include=include,
            limit=limit,
            offset=offset,
        )
    ).parsed
