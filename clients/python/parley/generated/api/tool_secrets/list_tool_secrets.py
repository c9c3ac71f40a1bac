from http import HTTPStatus
from typing import Any

import httpx

from ... import errors
from ...client import AuthenticatedClient, Client
from ...models.list_secrets_result import ListSecretsResult
from ...models.list_tool_secrets_environment import ListToolSecretsEnvironment
from ...models.refusal import Refusal
from ...types import UNSET, Response, Unset


def _get_kwargs(
    *,
    project_id: str,
    tool_name: str | Unset = UNSET,
    environment: ListToolSecretsEnvironment | Unset = UNSET,
    page: int | Unset = 1,
    limit: int | Unset = 50,
    offset: int | Unset = 0,
) -> dict[str, Any]:
    params: dict[str, Any] = {}

    params["projectId"] = project_id

    params["toolName"] = tool_name

    json_environment: str | Unset = UNSET
    if not isinstance(environment, Unset):
        json_environment = environment.value

    params["environment"] = json_environment

    params["page"] = page

    params["limit"] = limit

    params["offset"] = offset

    params = {k: v for k, v in params.items() if v is not UNSET and v is not None}

    _kwargs: dict[str, Any] = {
        "method": "get",
        "url": "/api/tool-secrets",
        "params": params,
    }

    return _kwargs


def _parse_response(
    *, client: AuthenticatedClient | Client, response: httpx.Response
) -> ListSecretsResult | Refusal | None:
    if response.status_code == 200:
        response_200 = ListSecretsResult.from_dict(response.json())

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
) -> Response[ListSecretsResult | Refusal]:
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
    tool_name: str | Unset = UNSET,
    environment: ListToolSecretsEnvironment | Unset = UNSET,
    page: int | Unset = 1,
    limit: int | Unset = 50,
    offset: int | Unset = 0,
) -> Response[ListSecretsResult | Refusal]:
    """List the secrets of a project's tools

     By tool, key and environment, without their values. A page past the last one is empty.

    Args:
        project_id (str):
        tool_name (str | Unset):
        environment (ListToolSecretsEnvironment | Unset):
        page (int | Unset):  Default: 1.
        limit (int | Unset):  Default: 50.
        offset (int | Unset):  Default: 0.

    Raises:
        errors.UnexpectedStatus: If the server returns an undocumented status code and Client.raise_on_unexpected_status is True.
        httpx.TimeoutException: If the request takes longer than Client.timeout.

    Returns:
        Response[ListSecretsResult | Refusal]
    """

    kwargs = _get_kwargs(
        project_id=project_id,
        tool_name=tool_name,
        environment=environment,
        page=page,
        limit=limit,
        offset=offset,
    )

    response = client.get_httpx_client().request(
        **kwargs,
    )

    return _build_response(client=client, response=response)


def sync(
    *,
    client: AuthenticatedClient,
    project_id: str,
    tool_name: str | Unset = UNSET,
    environment: ListToolSecretsEnvironment | Unset = UNSET,
    page: int | Unset = 1,
    limit: int | Unset = 50,
    offset: int | Unset = 0,
) -> ListSecretsResult | Refusal | None:
    """List the secrets of a project's tools

     By tool, key and environment, without their values. A page past the last one is empty.

    Args:
        project_id (str):
        tool_name (str | Unset):
        environment (ListToolSecretsEnvironment | Unset):
        page (int | Unset):  Default: 1.
        limit (int | Unset):  Default: 50.
        offset (int | Unset):  Default: 0.

    Raises:
        errors.UnexpectedStatus: If the server returns an undocumented status code and Client.raise_on_unexpected_status is True.
        httpx.TimeoutException: If the request takes longer than Client.timeout.

    Returns:
        ListSecretsResult | Refusal
    """

    return sync_detailed(
        client=client,
        project_id=project_id,
        tool_name=tool_name,
        environment=environment,
        page=page,
        limit=limit,
        offset=offset,
    ).parsed


async def asyncio_detailed(
    *,
    client: AuthenticatedClient,
    project_id: str,
    tool_name: str | Unset = UNSET,
    environment: ListToolSecretsEnvironment | Unset = UNSET,
    page: int | Unset = 1,
    limit: int | Unset = 50,
    offset: int | Unset = 0,
) -> Response[ListSecretsResult | Refusal]:
    """List the secrets of a project's tools

     By tool, key and environment, without their values. A page past the last one is empty.

    Args:
        project_id (str):
        tool_name (str | Unset):
        environment (ListToolSecretsEnvironment | Unset):
        page (int | Unset):  Default: 1.
        limit (int | Unset):  Default: 50.
        offset (int | Unset):  Default: 0.

    Raises:
        errors.UnexpectedStatus: If the server returns an undocumented status code and Client.raise_on_unexpected_status is True.
        httpx.TimeoutException: If the request takes longer than Client.timeout.

    Returns:
        Response[ListSecretsResult | Refusal]
    """

    kwargs = _get_kwargs(
        project_id=project_id,
        tool_name=tool_name,
        environment=environment,
        page=page,
        limit=limit,
        offset=offset,
    )

    response = await client.get_async_httpx_client().request(**kwargs)

    return _build_response(client=client, response=response)


async def asyncio(
    *,
    client: AuthenticatedClient,
    project_id: str,
    tool_name: str | Unset = UNSET,
    environment: ListToolSecretsEnvironment | Unset = UNSET,
    page: int | Unset = 1,
    limit: int | Unset = 50,
    offset: int | Unset = 0,
) -> ListSecretsResult | Refusal | None:
    """List the secrets of a project's tools

     By tool, key and environment, without their values. A page past the last one is empty.

    Args:
        project_id (str):
        tool_name (str | Unset):
        environment (ListToolSecretsEnvironment | Unset):
        page (int | Unset):  Default: 1.
        limit (int | Unset):  Default: 50.
        offset (int | Unset):  Default: 0.

    Raises:
        errors.UnexpectedStatus: If the server returns an undocumented status code and Client.raise_on_unexpected_status is True.
        httpx.TimeoutException: If the request takes longer than Client.timeout.

    Returns:
        ListSecretsResult | Refusal
    """

    return (
        await asyncio_detailed(
            client=client,
            project_id=project_id,
            tool_name=tool_name,
            environment=environment,
            page=page,
            limit=limit,
            offset=offset,
        )
    ).parsed
