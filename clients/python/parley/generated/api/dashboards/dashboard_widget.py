import datetime
from http import HTTPStatus
from typing import Any
from urllib.parse import quote

import httpx

from ... import errors
from ...client import AuthenticatedClient, Client
from ...models.refusal import Refusal
from ...models.widget_result import WidgetResult
from ...types import UNSET, Response, Unset


def _get_kwargs(
    bot_id: str,
    dashboard_name: str,
    widget_name: str,
    *,
    start_date: datetime.date,
    end_date: datetime.date,
    limit: int | Unset = 50,
) -> dict[str, Any]:
    params: dict[str, Any] = {}

    json_start_date = start_date.isoformat()
    params["startDate"] = json_start_date

    json_end_date = end_date.isoformat()
    params["endDate"] = json_end_date

    params["limit"] = limit

    params = {k: v for k, v in params.items() if v is not UNSET and v is not None}

    _kwargs: dict[str, Any] = {
        "method": "get",
        "url": "/api/public/bot/{bot_id}/dashboard/{dashboard_name}/widget/{widget_name}".format(
            bot_id=quote(str(bot_id), safe=""),
            dashboard_name=quote(str(dashboard_name), safe=""),
            widget_name=quote(str(widget_name), safe=""),
        ),
        "params": params,
    }

    return _kwargs


def _parse_response(
    *, client: AuthenticatedClient | Client, response: httpx.Response
) -> Refusal | WidgetResult | None:
    if response.status_code == 200:
        response_200 = WidgetResult.from_dict(response.json())

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
) -> Response[Refusal | WidgetResult]:
    return Response(
        status_code=HTTPStatus(response.status_code),
        content=response.content,
        headers=response.headers,
        parsed=_parse_response(client=client, response=response),
    )


def sync_detailed(
    bot_id: str,
    dashboard_name: str,
    widget_name: str,
    *,
    client: AuthenticatedClient,
    start_date: datetime.date,
    end_date: datetime.date,
    limit: int | Unset = 50,
) -> Response[Refusal | WidgetResult]:
    """The data of a dashboard widget

     Works on the read models, so it shows all that has been acknowledged. Days are those of UTC.

    Args:
        bot_id (str):
        dashboard_name (str):
        widget_name (str):
        start_date (datetime.date):
        end_date (datetime.date):
        limit (int | Unset):  Default: 50.

    Raises:
        errors.UnexpectedStatus: If the server returns an undocumented status code and Client.raise_on_unexpected_status is True.
        httpx.TimeoutException: If the request takes longer than Client.timeout.

    Returns:
        Response[Refusal | WidgetResult]
    """

    kwargs = _get_kwargs(
        bot_id=bot_id,
        dashboard_name=dashboard_name,
        widget_name=widget_name,
        start_date=start_date,
        end_date=end_date,
        limit=limit,
    )

    response = client.get_httpx_client().request(
        **kwargs,
    )

    return _build_response(client=client, response=response)


def sync(
    bot_id: str,
    dashboard_name: str,
    widget_name: str,
    *,
    client: AuthenticatedClient,
    start_date: datetime.date,
    end_date: datetime.date,
    limit: int | Unset = 50,
) -> Refusal | WidgetResult | None:
    """The data of a dashboard widget

     Works on the read models, so it shows all that has been acknowledged. Days are those of UTC.

    Args:
        bot_id (str):
        dashboard_name (str):
        widget_name (str):
        start_date (datetime.date):
        end_date (datetime.date):
        limit (int | Unset):  Default: 50.

    Raises:
        errors.UnexpectedStatus: If the server returns an undocumented status code and Client.raise_on_unexpected_status is True.
        httpx.TimeoutException: If the request takes longer than Client.timeout.

    Returns:
        Refusal | WidgetResult
    """

    return sync_detailed(
        bot_id=bot_id,
        dashboard_name=dashboard_name,
        widget_name=widget_name,
        client=client,
        start_date=start_date,
        end_date=end_date,
        limit=limit,
    ).parsed


async def asyncio_detailed(
    bot_id: str,
    dashboard_name: str,
    widget_name: str,
    *,
    client: AuthenticatedClient,
    start_date: datetime.date,
    end_date: datetime.date,
    limit: int | Unset = 50,
) -> Response[Refusal | WidgetResult]:
    """The data of a dashboard widget

     Works on the read models, so it shows all that has been acknowledged. Days are those of UTC.

    Args:
        bot_id (str):
        dashboard_name (str):
        widget_name (str):
        start_date (datetime.date):
        end_date (datetime.date):
        limit (int | Unset):  Default: 50.

    Raises:
        errors.UnexpectedStatus: If the server returns an undocumented status code and Client.raise_on_unexpected_status is True.
        httpx.TimeoutException: If the request takes longer than Client.timeout.

    Returns:
        Response[Refusal | WidgetResult]
    """

    kwargs = _get_kwargs(
        bot_id=bot_id,
        dashboard_name=dashboard_name,
        widget_name=widget_name,
        start_date=start_date,
        end_date=end_date,
        limit=limit,
    )

    response = await client.get_async_httpx_client().request(**kwargs)

    return _build_response(client=client, response=response)


async def asyncio(
    bot_id: str,
    dashboard_name: str,
    widget_name: str,
    *,
    client: AuthenticatedClient,
    start_date: datetime.date,
    end_date: datetime.date,
    limit: int | Unset = 50,
) -> Refusal | WidgetResult | None:
    """The data of a dashboard widget

     Works on the read models, so it shows all that has been acknowledged. Days are those of UTC.

    Args:
        bot_id (str):
        dashboard_name (str):
        widget_name (str):
        start_date (datetime.date):
        end_date (datetime.date):
        limit (int | Unset):  Default: 50.

    Raises:
        errors.UnexpectedStatus: If the server returns an undocumented status code and Client.raise_on_unexpected_status is True.
        httpx.TimeoutException: If the request takes longer than Client.timeout.

    Returns:
        Refusal | WidgetResult
    """

    return (
        await asyncio_detailed(
            bot_id=bot_id,
            dashboard_name=dashboard_name,
            widget_name=widget_name,
            client=client,
            start_date=start_date,
            end_date=end_date,
            limit=limit,
        )
    ).parsed
