from http import HTTPStatus
from typing import Any
from urllib.parse import quote

import httpx

from ... import errors
from ...client import AuthenticatedClient, Client
from ...models.analytics_metrics_category import AnalyticsMetricsCategory
from ...models.analytics_metrics_group_by_item import AnalyticsMetricsGroupByItem
from ...models.analytics_metrics_metrics_item import AnalyticsMetricsMetricsItem
from ...models.analytics_metrics_result import AnalyticsMetricsResult
from ...models.refusal import Refusal
from ...types import UNSET, Response, Unset


def _get_kwargs(
    project_id: str,
    *,
    from_: str | Unset = UNSET,
    to: str | Unset = UNSET,
    group_by: list[AnalyticsMetricsGroupByItem] | Unset = UNSET,
    metrics: list[AnalyticsMetricsMetricsItem] | Unset = UNSET,
    category: AnalyticsMetricsCategory | Unset = UNSET,
) -> dict[str, Any]:
    params: dict[str, Any] = {}

    params["from"] = from_

    params["to"] = to

    json_group_by: list[str] | Unset = UNSET
    if not isinstance(group_by, Unset):
        json_group_by = []
        for group_by_item_data in group_by:
            group_by_item = group_by_item_data.value
            json_group_by.append(group_by_item)

    params["groupBy"] = json_group_by

    json_metrics: list[str] | Unset = UNSET
    if not isinstance(metrics, Unset):
        json_metrics = []
        for metrics_item_data in metrics:
            metrics_item = metrics_item_data.value
            json_metrics.append(metrics_item)

    params["metrics"] = json_metrics

    json_category: str | Unset = UNSET
    if not isinstance(category, Unset):
        json_category = category.value

    params["category"] = json_category

    params = {k: v for k, v in params.items() if v is not UNSET and v is not None}

    _kwargs: dict[str, Any] = {
        "method": "get",
        "url": "/api/projects/{project_id}/analytics/metrics".format(
            project_id=quote(str(project_id), safe=""),
        ),
        "params": params,
    }

    return _kwargs


def _parse_response(
    *, client: AuthenticatedClient | Client, response: httpx.Response
) -> AnalyticsMetricsResult | Refusal | None:
    if response.status_code == 200:
        response_200 = AnalyticsMetricsResult.from_dict(response.json())

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
) -> Response[AnalyticsMetricsResult | Refusal]:
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
    group_by: list[AnalyticsMetricsGroupByItem] | Unset = UNSET,
    metrics: list[AnalyticsMetricsMetricsItem] | Unset = UNSET,
    category: AnalyticsMetricsCategory | Unset = UNSET,
) -> Response[AnalyticsMetricsResult | Refusal]:
    """Figures of a project's events in groups

     Events of the whole account, such as a change of a trunk, are shown in each of its projects. Figures
    may be a moment behind: asOf says as of when they are.

    Args:
        project_id (str):
        from_ (str | Unset):
        to (str | Unset):
        group_by (list[AnalyticsMetricsGroupByItem] | Unset):
        metrics (list[AnalyticsMetricsMetricsItem] | Unset):
        category (AnalyticsMetricsCategory | Unset):

    Raises:
        errors.UnexpectedStatus: If the server returns an undocumented status code and Client.raise_on_unexpected_status is True.
        httpx.TimeoutException: If the request takes longer than Client.timeout.

    Returns:
        Response[AnalyticsMetricsResult | Refusal]
    """

    kwargs = _get_kwargs(
        project_id=project_id,
        from_=from_,
        to=to,
        group_by=group_by,
        metrics=metrics,
        category=category,
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
    group_by: list[AnalyticsMetricsGroupByItem] | Unset = UNSET,
    metrics: list[AnalyticsMetricsMetricsItem] | Unset = UNSET,
    category: AnalyticsMetricsCategory | Unset = UNSET,
) -> AnalyticsMetricsResult | Refusal | None:
    """Figures of a project's events in groups

     Events of the whole account, such as a change of a trunk, are shown in each of its projects. Figures
    may be a moment behind: asOf says as of when they are.

    Args:
        project_id (str):
        from_ (str | Unset):
        to (str | Unset):
        group_by (list[AnalyticsMetricsGroupByItem] | Unset):
        metrics (list[AnalyticsMetricsMetricsItem] | Unset):
        category (AnalyticsMetricsCategory | Unset):

    Raises:
        errors.UnexpectedStatus: If the server returns an undocumented status code and Client.raise_on_unexpected_status is True.
        httpx.TimeoutException: If the request takes longer than Client.timeout.

    Returns:
        AnalyticsMetricsResult | Refusal
    """

    return sync_detailed(
        project_id=project_id,
        client=client,
        from_=from_,
        to=to,
        group_by=group_by,
        metrics=metrics,
        category=category,
    ).parsed


async def asyncio_detailed(
    project_id: str,
    *,
    client: AuthenticatedClient,
    from_: str | Unset = UNSET,
    to: str | Unset = UNSET,
    group_by: list[AnalyticsMetricsGroupByItem] | Unset = UNSET,
    metrics: list[AnalyticsMetricsMetricsItem] | Unset = UNSET,
    category: AnalyticsMetricsCategory | Unset = UNSET,
) -> Response[AnalyticsMetricsResult | Refusal]:
    """Figures of a project's events in groups

     Events of the whole account, such as a change of a trunk, are shown in each of its projects. Figures
    may be a moment behind: asOf says as of when they are.

    Args:
        project_id (str):
        from_ (str | Unset):
        to (str | Unset):
        group_by (list[AnalyticsMetricsGroupByItem] | Unset):
        metrics (list[AnalyticsMetricsMetricsItem] | Unset):
        category (AnalyticsMetricsCategory | Unset):

    Raises:
        errors.UnexpectedStatus: If the server returns an undocumented status code and Client.raise_on_unexpected_status is True.
        httpx.TimeoutException: If the request takes longer than Client.timeout.

    Returns:
        Response[AnalyticsMetricsResult | Refusal]
    """

    kwargs = _get_kwargs(
        project_id=project_id,
        from_=from_,
        to=to,
        group_by=group_by,
        metrics=metrics,
        category=category,
    )

    response = await client.get_async_httpx_client().request(**kwargs)

    return _build_response(client=client, response=response)


async def asyncio(
    project_id: str,
    *,
    client: AuthenticatedClient,
    from_: str | Unset = UNSET,
    to: str | Unset = UNSET,
    group_by: list[AnalyticsMetricsGroupByItem] | Unset = UNSET,
    metrics: list[AnalyticsMetricsMetricsItem] | Unset = UNSET,
    category: AnalyticsMetricsCategory | Unset = UNSET,
) -> AnalyticsMetricsResult | Refusal | None:
    """Figures of a project's events in groups

     Events of the whole account, such as a change of a trunk, are shown in each of its projects. Figures
    may be a moment behind: asOf says as of when they are.

    Args:
        project_id (str):
        from_ (str | Unset):
        to (str | Unset):
        group_by (list[AnalyticsMetricsGroupByItem] | Unset):
        metrics (list[AnalyticsMetricsMetricsItem] | Unset):
        category (AnalyticsMetricsCategory | Unset):

    Raises:
        errors.UnexpectedStatus: If the server returns an undocumented status code and Client.raise_on_unexpected_status is True.
        httpx.TimeoutException: If the request takes longer than Client.timeout.

    Returns:
        AnalyticsMetricsResult | Refusal
    """

    return (
        await asyncio_detailed(
            project_id=project_id,
            client=client,
            from_=from_,
            to=to,
            group_by=group_by,
            metrics=metrics,
            category=category,
        )
    ).parsed
