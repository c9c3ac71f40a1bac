from http import HTTPStatus
from typing import Any
from urllib.parse import quote

import httpx

from ... import errors
from ...client import AuthenticatedClient, Client
from ...models.refusal import Refusal
from ...models.widget_config_result import WidgetConfigResult
from ...types import Response


def _get_kwargs(
    project_id: str,
) -> dict[str, Any]:
    _kwargs: dict[str, Any] = {
        "method": "get",
        "url": "/api/v1/sdk/config/{project_id}".format(
            project_id=quote(str(project_id), safe=""),
        ),
    }

    return _kwargs


def _parse_response(
    *, client: AuthenticatedClient | Client, response: httpx.Response
) -> Refusal | WidgetConfigResult | None:
    if response.status_code == 200:
        response_200 = WidgetConfigResult.from_dict(response.json())

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
) -> Response[Refusal | WidgetConfigResult]:
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
) -> Response[Refusal | WidgetConfigResult]:
    """How a widget looks

     That of the newest active channel of the public key, in the header X-API-Key; what it leaves out has
    the value of the defaults. It may be kept for a minute.

    Args:
        project_id (str):

    Raises:
        errors.UnexpectedStatus: If the server returns an undocumented status code and Client.raise_on_unexpected_status is True.
        httpx.TimeoutException: If the request takes longer than Client.timeout.

    Returns:
        Response[Refusal | WidgetConfigResult]
    """

    kwargs = _get_kwargs(
        project_id=project_id,
    )

    response = client.get_httpx_client().request(
        **kwargs,
    )

    return _build_response(client=client, response=response)


def sync(
    project_id: str,
    *,
    client: AuthenticatedClient,
) -> Refusal | WidgetConfigResult | None:
    """How a widget looks

     That of the newest active channel of the public key, in the header X-API-Key; what it leaves out has
    the value of the defaults. It may be kept for a minute.

    Args:
        project_id (str):

    Raises:
        errors.UnexpectedStatus: If the server returns an undocumented status code and Client.raise_on_unexpected_status is True.
        httpx.TimeoutException: If the request takes longer than Client.timeout.

    Returns:
        Refusal | WidgetConfigResult
    """

    return sync_detailed(
        project_id=project_id,
        client=client,
    ).parsed


async def asyncio_detailed(
    project_id: str,
    *,
    client: AuthenticatedClient,
) -> Response[Refusal | WidgetConfigResult]:
    """How a widget looks

     That of the newest active channel of the public key, in the header X-API-Key; what it leaves out has
    the value of the defaults. It may be kept for a minute.

    Args:
        project_id (str):

    Raises:
        errors.UnexpectedStatus: If the server returns an undocumented status code and Client.raise_on_unexpected_status is True.
        httpx.TimeoutException: If the request takes longer than Client.timeout.

    Returns:
        Response[Refusal | WidgetConfigResult]
    """

    kwargs = _get_kwargs(
        project_id=project_id,
    )

    response = await client.get_async_httpx_client().request(**kwargs)

    return _build_response(client=client, response=response)


async def asyncio(
    project_id: str,
    *,
    client: AuthenticatedClient,
) -> Refusal | WidgetConfigResult | None:
    """How a widget looks

     That of the newest active channel of the public key, in the header X-API-Key; what it leaves out has
    the value of the defaults. It may be kept for a minute.

    Args:
        project_id (str):

    Raises:
        errors.UnexpectedStatus: If the server returns an undocumented status code and Client.raise_on_unexpected_status is True.
        httpx.TimeoutException: If the request takes longer than Client.timeout.

    Returns:
        Refusal | WidgetConfigResult
    """

    return (
        await asyncio_detailed(
            project_id=project_id,
            client=client,
        )
    ).parsed
