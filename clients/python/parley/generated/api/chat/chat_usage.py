from http import HTTPStatus
from typing import Any

import httpx

from ... import errors
from ...client import AuthenticatedClient, Client
from ...models.chat_usage_group_by import ChatUsageGroupBy
from ...models.chat_usage_result import ChatUsageResult
from ...models.refusal import Refusal
from ...types import UNSET, Response, Unset


def _get_kwargs(
    *,
    project_id: str,
    start_date: str | Unset = UNSET,
    end_date: str | Unset = UNSET,
    group_by: ChatUsageGroupBy | Unset = UNSET,
) -> dict[str, Any]:
    params: dict[str, Any] = {}

    params["projectId"] = project_id

    params["startDate"] = start_date

    params["endDate"] = end_date

    json_group_by: str | Unset = UNSET
    if not isinstance(group_by, Unset):
        json_group_by = group_by.value

    params["groupBy"] = json_group_by

    params = {k: v for k, v in params.items() if v is not UNSET and v is not None}

    _kwargs: dict[str, Any] = {
        "method": "get",
        "url": "/api/v1/chat/usage",
        "params": params,
    }

    return _kwargs


def _parse_response(
    *, client: AuthenticatedClient | Client, response: httpx.Response
) -> ChatUsageResult | Refusal | None:
    if response.status_code == 200:
        response_200 = ChatUsageResult.from_dict(response.json())

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
) -> Response[ChatUsageResult | Refusal]:
    return Response(
        status_code=HTTPStatus(response.status_code),
        content=response.content,
        headers=response.headers,
        parsed=_parse_response(client=client, response=response),
    )


def sync_detailed(
    *,
    client: AuthenticatedClient,
    project_id: str,
    start_date: str | Unset = UNSET,
    end_date: str | Unset = UNSET,
    group_by: ChatUsageGroupBy | Unset = UNSET,
) -> Response[ChatUsageResult | Refusal]:
    """What a project's completions took and cost

     Of the last 30 days unless said, and of at most 366. `totalCost` leaves out what has no known price;
    `unpricedRequests` counts it.

    Args:
        project_id (str):
        start_date (str | Unset):
        end_date (str | Unset):
        group_by (ChatUsageGroupBy | Unset):

    Raises:
        errors.UnexpectedStatus: If the server returns an undocumented status code and Client.raise_on_unexpected_status is True.
        httpx.TimeoutException: If the request takes longer than Client.timeout.

    Returns:
        Response[ChatUsageResult | Refusal]
    """

    kwargs = _get_kwargs(
        project_id=project_id,
        start_date=start_date,
        end_date=end_date,
        group_by=group_by,
    )

    response = client.get_httpx_client().request(
        **kwargs,
    )

    return _build_response(client=client, response=response)


def sync(
    *,
    client: AuthenticatedClient,
    project_id: str,
    start_date: str | Unset = UNSET,
    end_date: str | Unset = UNSET,
    group_by: ChatUsageGroupBy | Unset = UNSET,
) -> ChatUsageResult | Refusal | None:
    """What a project's completions took and cost

     Of the last 30 days unless said, and of at most 366. `totalCost` leaves out what has no known price;
    `unpricedRequests` counts it.

    Args:
        project_id (str):
        start_date (str | Unset):
        end_date (str | Unset):
        group_by (ChatUsageGroupBy | Unset):

    Raises:
        errors.UnexpectedStatus: If the server returns an undocumented status code and Client.raise_on_unexpected_status is True.
        httpx.TimeoutException: If the request takes longer than Client.timeout.

    Returns:
        ChatUsageResult | Refusal
    """

    return sync_detailed(
        client=client,
        project_id=project_id,
        start_date=start_date,
        end_date=end_date,
        group_by=group_by,
    ).parsed


async def asyncio_detailed(
    *,
    client: AuthenticatedClient,
    project_id: str,
    start_date: str | Unset = UNSET,
    end_date: str | Unset = UNSET,
    group_by: ChatUsageGroupBy | Unset = UNSET,
) -> Response[ChatUsageResult | Refusal]:
    """What a project's completions took and cost

     Of the last 30 days unless said, and of at most 366. `totalCost` leaves out what has no known price;
    `unpricedRequests` counts it.

    Args:
        project_id (str):
        start_date (str | Unset):
        end_date (str | Unset):
        group_by (ChatUsageGroupBy | Unset):

    Raises:
        errors.UnexpectedStatus: If the server returns an undocumented status code and Client.raise_on_unexpected_status is True.
        httpx.TimeoutException: If the request takes longer than Client.timeout.

    Returns:
        Response[ChatUsageResult | Refusal]
    """

    kwargs = _get_kwargs(
        project_id=project_id,
        start_date=start_date,
        end_date=end_date,
        group_by=group_by,
    )

    response = await client.get_async_httpx_client().request(**kwargs)

    return _build_response(client=client, response=response)


async def asyncio(
    *,
    client: AuthenticatedClient,
    project_id: str,
    start_date: str | Unset = UNSET,
    end_date: str | Unset = UNSET,
    group_by: ChatUsageGroupBy | Unset = UNSET,
) -> ChatUsageResult | Refusal | None:
    """What a project's completions took and cost

     Of the last 30 days unless said, and of at most 366. `totalCost` leaves out what has no known price;
    `unpricedRequests` counts it.

    Args:
        project_id (str):
        start_date (str | Unset):
        end_date (str | Unset):
        group_by (ChatUsageGroupBy | Unset):

    Raises:
        errors.UnexpectedStatus: If the server returns an undocumented status code and Client.raise_on_unexpected_status is True.
        httpx.TimeoutException: If the request takes longer than Client.timeout.

    Returns:
        ChatUsageResult | Refusal
    """

    return (
        await asyncio_detailed(
            client=client,
            project_id=project_id,
            start_date=start_date,
            end_date=end_date,
            group_by=group_by,
        )
    ).parsed
