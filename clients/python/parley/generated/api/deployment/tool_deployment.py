from http import HTTPStatus
from typing import Any
from urllib.parse import quote

import httpx

from ... import errors
from ...client import AuthenticatedClient, Client
from ...models.deployment_job import DeploymentJob
from ...models.refusal import Refusal
from ...types import Response


def _get_kwargs(
    tool_id: str,
    dock_status_id: str,
) -> dict[str, Any]:
    _kwargs: dict[str, Any] = {
        "method": "get",
        "url": "/api/public/tools/{tool_id}/deployments/{dock_status_id}".format(
            tool_id=quote(str(tool_id), safe=""),
            dock_status_id=quote(str(dock_status_id), safe=""),
        ),
    }

    return _kwargs


def _parse_response(
    *, client: AuthenticatedClient | Client, response: httpx.Response
) -> DeploymentJob | Refusal | None:
    if response.status_code == 200:
        response_200 = DeploymentJob.from_dict(response.json())

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
) -> Response[DeploymentJob | Refusal]:
    return Response(
        status_code=HTTPStatus(response.status_code),
        content=response.content,
        headers=response.headers,
        parsed=_parse_response(client=client, response=response),
    )


def sync_detailed(
    tool_id: str,
    dock_status_id: str,
    *,
    client: AuthenticatedClient,
) -> Response[DeploymentJob | Refusal]:
    """How a deployment of a tool went

     IN_PROGRESS until it has ended; FAILED has the reason.

    Args:
        tool_id (str):
        dock_status_id (str):

    Raises:
        errors.UnexpectedStatus: If the server returns an undocumented status code and Client.raise_on_unexpected_status is True.
        httpx.TimeoutException: If the request takes longer than Client.timeout.

    Returns:
        Response[DeploymentJob | Refusal]
    """

    kwargs = _get_kwargs(
        tool_id=tool_id,
        dock_status_id=dock_status_id,
    )

    response = client.get_httpx_client().request(
        **kwargs,
    )

    return _build_response(client=client, response=response)


def sync(
    tool_id: str,
    dock_status_id: str,
    *,
    client: AuthenticatedClient,
) -> DeploymentJob | Refusal | None:
    """How a deployment of a tool went

     IN_PROGRESS until it has ended; FAILED has the reason.

    Args:
        tool_id (str):
        dock_status_id (str):

    Raises:
        errors.UnexpectedStatus: If the server returns an undocumented status code and Client.raise_on_unexpected_status is True.
        httpx.TimeoutException: If the request takes longer than Client.timeout.

    Returns:
        DeploymentJob | Refusal
    """

    return sync_detailed(
        tool_id=tool_id,
        dock_status_id=dock_status_id,
        client=client,
    ).parsed


async def asyncio_detailed(
    tool_id: str,
    dock_status_id: str,
    *,
    client: AuthenticatedClient,
) -> Response[DeploymentJob | Refusal]:
    """How a deployment of a tool went

     IN_PROGRESS until it has ended; FAILED has the reason.

    Args:
        tool_id (str):
        dock_status_id (str):

    Raises:
        errors.UnexpectedStatus: If the server returns an undocumented status code and Client.raise_on_unexpected_status is True.
        httpx.TimeoutException: If the request takes longer than Client.timeout.

    Returns:
        Response[DeploymentJob | Refusal]
    """

    kwargs = _get_kwargs(
        tool_id=tool_id,
        dock_status_id=dock_status_id,
    )

    response = await client.get_async_httpx_client().request(**kwargs)

    return _build_response(client=client, response=response)


async def asyncio(
    tool_id: str,
    dock_status_id: str,
    *,
    client: AuthenticatedClient,
) -> DeploymentJob | Refusal | None:
    """How a deployment of a tool went

     IN_PROGRESS until it has ended; FAILED has the reason.

    Args:
        tool_id (str):
        dock_status_id (str):

    Raises:
        errors.UnexpectedStatus: If the server returns an undocumented status code and Client.raise_on_unexpected_status is True.
        httpx.TimeoutException: If the request takes longer than Client.timeout.

    Returns:
        DeploymentJob | Refusal
    """

    return (
        await asyncio_detailed(
            tool_id=tool_id,
            dock_status_id=dock_status_id,
            client=client,
        )
    ).parsed
