from http import HTTPStatus
from typing import Any
from urllib.parse import quote

import httpx

from ... import errors
from ...client import AuthenticatedClient, Client
from ...models.discover_one_result import DiscoverOneResult
from ...models.refusal import Refusal
from ...types import UNSET, Response, Unset


def _get_kwargs(
    name: str,
    *,
    project_id: str | Unset = UNSET,
) -> dict[str, Any]:
    params: dict[str, Any] = {}

    params["projectId"] = project_id

    params = {k: v for k, v in params.items() if v is not UNSET and v is not None}

    _kwargs: dict[str, Any] = {
        "method": "get",
        "url": "/api/agents/{name}".format(
            name=quote(str(name), safe=""),
        ),
        "params": params,
    }

    return _kwargs


def _parse_response(
    *, client: AuthenticatedClient | Client, response: httpx.Response
) -> DiscoverOneResult | Refusal | None:
    if response.status_code == 200:
        response_200 = DiscoverOneResult.from_dict(response.json())

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
) -> Response[DiscoverOneResult | Refusal]:
    return Response(
        status_code=HTTPStatus(response.status_code),
        content=response.content,
        headers=response.headers,
        parsed=_parse_response(client=client, response=response),
    )


def sync_detailed(
    name: str,
    *,
    client: AuthenticatedClient,
    project_id: str | Unset = UNSET,
) -> Response[DiscoverOneResult | Refusal]:
    """Read an agent by its name

     With the working copy of its source. An API key finds the agents of its project; a token may name
    the project, and has to where several have an agent of that name: 409 names them.

    Args:
        name (str):
        project_id (str | Unset):

    Raises:
        errors.UnexpectedStatus: If the server returns an undocumented status code and Client.raise_on_unexpected_status is True.
        httpx.TimeoutException: If the request takes longer than Client.timeout.

    Returns:
        Response[DiscoverOneResult | Refusal]
    """

    kwargs = _get_kwargs(
        name=name,
        project_id=project_id,
    )

    response = client.get_httpx_client().request(
        **kwargs,
    )

    return _build_response(client=client, response=response)


def sync(
    name: str,
    *,
    client: AuthenticatedClient,
    project_id: str | Unset = UNSET,
) -> DiscoverOneResult | Refusal | None:
    """Read an agent by its name

     With the working copy of its source. An API key finds the agents of its project; a token may name
    the project, and has to where several have an agent of that name: 409 names them.

    Args:
        name (str):
        project_id (str | Unset):

    Raises:
        errors.UnexpectedStatus: If the server returns an undocumented status code and Client.raise_on_unexpected_status is True.
        httpx.TimeoutException: If the request takes longer than Client.timeout.

    Returns:
        DiscoverOneResult | Refusal
    """

    return sync_detailed(
        name=name,
        client=client,
        project_id=project_id,
    ).parsed


async def asyncio_detailed(
    name: str,
    *,
    client: AuthenticatedClient,
    project_id: str | Unset = UNSET,
) -> Response[DiscoverOneResult | Refusal]:
    """Read an agent by its name

     With the working copy of its source. An API key finds the agents of its project; a token may name
    the project, and has to where several have an agent of that name: 409 names them.

    Args:
        name (str):
        project_id (str | Unset):

    Raises:
        errors.UnexpectedStatus: If the server returns an undocumented status code and Client.raise_on_unexpected_status is True.
        httpx.TimeoutException: If the request takes longer than Client.timeout.

    Returns:
        Response[DiscoverOneResult | Refusal]
    """

    kwargs = _get_kwargs(
        name=name,
        project_id=project_id,
    )

    response = await client.get_async_httpx_client().request(**kwargs)

    return _build_response(client=client, response=response)


async def asyncio(
    name: str,
    *,
    client: AuthenticatedClient,
    project_id: str | Unset = UNSET,
) -> DiscoverOneResult | Refusal | None:
    """Read an agent by its name

     With the working copy of its source. An API key finds the agents of its project; a token may name
    the project, and has to where several have an agent of that name: 409 names them.

    Args:
        name (str):
        project_id (str | Unset):

    Raises:
        errors.UnexpectedStatus: If the server returns an undocumented status code and Client.raise_on_unexpected_status is True.
        httpx.TimeoutException: If the request takes longer than Client.timeout.

    Returns:
        DiscoverOneResult | Refusal
    """

    return (
        await asyncio_detailed(
            name=name,
            client=client,
            project_id=project_id,
        )
    ).parsed
