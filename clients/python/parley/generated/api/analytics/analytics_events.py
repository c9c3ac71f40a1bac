from http import HTTPStatus
from typing import Any
from urllib.parse import quote

import httpx

from ... import errors
from ...client import AuthenticatedClient, Client
from ...models.analytics_events_category import AnalyticsEventsCategory
from ...models.analytics_events_result import AnalyticsEventsResult
from ...models.refusal import Refusal
from ...types import UNSET, Response, Unset


def _get_kwargs(
    project_id: str,
    *,
    from_: str | Unset = UNSET,
    to: str | Unset = UNSET,
    category: AnalyticsEventsCategory | Unset = UNSET,
    event_types: list[str] | Unset = UNSET,
    session_id: str | Unset = UNSET,
    agent_name: str | Unset = UNSET,
    has_error: bool | Unset = UNSET,
    limit: int | Unset = 100,
    offset: int | Unset = 0,
) -> dict[str, Any]:
    params: dict[str, Any] = {}

    params["from"] = from_

    params["to"] = to

    json_category: str | Unset = UNSET
    if not isinstance(category, Unset):
        json_category = category.value

    params["category"] = json_category

    json_event_types: list[str] | Unset = UNSET
    if not isinstance(event_types, Unset):
        json_event_types = event_types

    params["eventTypes"] = json_event_types

    params["sessionId"] = session_id

    params["agentName"] = agent_name

    params["hasError"] = has_error

    params["limit"] = limit

    params["offset"] = offset

    params = {k: v for k, v in params.items() if v is not UNSET and v is not None}

    _kwargs: dict[str, Any] = {
        "method": "get",
        "url": "/api/projects/{project_id}/analytics/events".format(
            project_id=quote(str(project_id), safe=""),
        ),
        "params": params,
    }

    return _kwargs


def _parse_response(
    *, client: AuthenticatedClient | Client, response: httpx.Response
) -> AnalyticsEventsResult | Refusal | None:
    if response.status_code == 200:
        response_200 = AnalyticsEventsResult.from_dict(response.json())

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
) -> Response[AnalyticsEventsResult | Refusal]:
    return Response(
        status_code=HTTPStatus(response.status_code),
        content=response.content,
        headers=response.headers,
        parsed=_parse_response(client=client, response=response),
    )


def sync_detailed(
    project_id: str,
    *,
    client: AuthenticatedClient,
    from_: str | Unset = UNSET,
    to: str | Unset = UNSET,
    category: AnalyticsEventsCategory | Unset = UNSET,
    event_types: list[str] | Unset = UNSET,
    session_id: str | Unset = UNSET,
    agent_name: str | Unset = UNSET,
    has_error: bool | Unset = UNSET,
    limit: int | Unset = 100,
    offset: int | Unset = 0,
) -> Response[AnalyticsEventsResult | Refusal]:
    """List a project's analytics events, newest first

     Events of the whole account, such as a change of a trunk, are shown in each of its projects. Figures
    may be a moment behind: asOf says as of when they are.

    Args:
        project_id (str):
        from_ (str | Unset):
        to (str | Unset):
        category (AnalyticsEventsCategory | Unset):
        event_types (list[str] | Unset):
        session_id (str | Unset):
        agent_name (str | Unset):
        has_error (bool | Unset):
        limit (int | Unset):  Default: 100.
        offset (int | Unset):  Default: 0.

    Raises:
        errors.UnexpectedStatus: If the server returns an undocumented status code and Client.raise_on_unexpected_status is True.
        httpx.TimeoutException: If the request takes longer than Client.timeout.

    Returns:
        Response[AnalyticsEventsResult | Refusal]
    """

    kwargs = _get_kwargs(
        project_id=project_id,
        from_=from_,
        to=to,
        category=category,
        event_types=event_types,
        session_id=session_id,
        agent_name=agent_name,
        has_error=has_error,
        limit=limit,
        offset=offset,
    )

    response = client.get_httpx_client().request(
        **kwargs,
    )

    return _build_response(client=client, response=response)


def sync(
    project_id: str,
    *,
    client: AuthenticatedClient,
    from_: str | Unset = UNSET,
    to: str | Unset = UNSET,
    category: AnalyticsEventsCategory | Unset = UNSET,
    event_types: list[str] | Unset = UNSET,
    session_id: str | Unset = UNSET,
    agent_name: str | Unset = UNSET,
    has_error: bool | Unset = UNSET,
    limit: int | Unset = 100,
    offset: int | Unset = 0,
) -> AnalyticsEventsResult | Refusal | None:
    """List a project's analytics events, newest first

     Events of the whole account, such as a change of a trunk, are shown in each of its projects. Figures
    may be a moment behind: asOf says as of when they are.

    Args:
        project_id (str):
        from_ (str | Unset):
        to (str | Unset):
        category (AnalyticsEventsCategory | Unset):
        event_types (list[str] | Unset):
        session_id (str | Unset):
        agent_name (str | Unset):
        has_error (bool | Unset):
        limit (int | Unset):  Default: 100.
        offset (int | Unset):  Default: 0.

    Raises:
        errors.UnexpectedStatus: If the server returns an undocumented status code and Client.raise_on_unexpected_status is True.
        httpx.TimeoutException: If the request takes longer than Client.timeout.

    Returns:
        AnalyticsEventsResult | Refusal
    """

    return sync_detailed(
        project_id=project_id,
        client=client,
        from_=from_,
        to=to,
        category=category,
        event_types=event_types,
        session_id=session_id,
        agent_name=agent_name,
        has_error=has_error,
        limit=limit,
        offset=offset,
    ).parsed


async def asyncio_detailed(
    project_id: str,
    *,
    client: AuthenticatedClient,
    from_: str | Unset = UNSET,
    to: str | Unset = UNSET,
    category: AnalyticsEventsCategory | Unset = UNSET,
    event_types: list[str] | Unset = UNSET,
    session_id: str | Unset = UNSET,
    agent_name: str | Unset = UNSET,
    has_error: bool | Unset = UNSET,
    limit: int | Unset = 100,
    offset: int | Unset = 0,
) -> Response[AnalyticsEventsResult | Refusal]:
    """List a project's analytics events, newest first

     Events of the whole account, such as a change of a trunk, are shown in each of its projects. Figures
    may be a moment behind: asOf says as of when they are.

    Args:
        project_id (str):
        from_ (str | Unset):
        to (str | Unset):
        category (AnalyticsEventsCategory | Unset):
        event_types (list[str] | Unset):
        session_id (str | Unset):
        agent_name (str | Unset):
        has_error (bool | Unset):
        limit (int | Unset):  Default: 100.
        offset (int | Unset):  Default: 0.

    Raises:
        errors.UnexpectedStatus: If the server returns an undocumented status code and Client.raise_on_unexpected_status is True.
        httpx.TimeoutException: If the request takes longer than Client.timeout.

    Returns:
        Response[AnalyticsEventsResult | Refusal]
    """

    kwargs = _get_kwargs(
        project_id=project_id,
        from_=from_,
        to=to,
        category=category,
        event_types=event_types,
        session_id=session_id,
        agent_name=agent_name,
        has_error=has_error,
        limit=limit,
        offset=offset,
    )

    response = await client.get_async_httpx_client().request(**kwargs)

    return _build_response(client=client, response=response)


async def asyncio(
    project_id: str,
    *,
    client: AuthenticatedClient,
    from_: str | Unset = UNSET,
    to: str | Unset = UNSET,
    category: AnalyticsEventsCategory | Unset = UNSET,
    event_types: list[str] | Unset = UNSET,
    session_id: str | Unset = UNSET,
    agent_name: str | Unset = UNSET,
    has_error: bool | Unset = UNSET,
    limit: int | Unset = 100,
    offset: int | Unset = 0,
) -> AnalyticsEventsResult | Refusal | None:
    """List a project's analytics events, newest first

     Events of the whole account, such as a change of a trunk, are shown in each of its projects. Figures
    may be a moment behind: asOf says as of when they are.

    Args:
        project_id (str):
        from_ (str | Unset):
        to (str | Unset):
        category (AnalyticsEventsCategory | Unset):
        event_types (list[str] | Unset):
        session_id (str | Unset):
        agent_name (str | Unset):
        has_error (bool | Unset):
        limit (int | Unset):  Default: 100.
        offset (int | Unset):  Default: 0.

    Raises:
        errors.UnexpectedStatus: If the server returns an undocumented status code and Client.raise_on_unexpected_status is True.
        httpx.TimeoutException: If the request takes longer than Client.timeout.

    Returns:
        AnalyticsEventsResult | Refusal
    """

    return (
        await asyncio_detailed(
            project_id=project_id,
            client=client,
            from_=from_,
            to=to,
            category=category,
            event_types=event_types,
            session_id=session_id,
            agent_name=agent_name,
            has_error=has_error,
            limit=limit,
            offset=offset,
        )
    ).parsed
