from http import HTTPStatus
from typing import Any
from urllib.parse import quote

import httpx

from ... import errors
from ...client import AuthenticatedClient, Client
from ...models.deploy_tool_request import DeployToolRequest
from ...models.deployment_job import DeploymentJob
from ...models.refusal import Refusal
from ...types import UNSET, Response, Unset


def _get_kwargs(
    tool_id: str,
    *,
    body: DeployToolRequest,
    idempotency_key: str | Unset = UNSET,
    prefer: str | Unset = UNSET,
) -> dict[str, Any]:
    headers: dict[str, Any] = {}
    if not isinstance(idempotency_key, Unset):
        headers["Idempotency-Key"] = idempotency_key

    if not isinstance(prefer, Unset):
        headers["Prefer"] = prefer

    _kwargs: dict[str, Any] = {
        "method": "post",
        "url": "/api/public/tools/{tool_id}/deploy".format(
            tool_id=quote(str(tool_id), safe=""),
        ),
    }

    _kwargs["json"] = body.to_dict()

    headers["Content-Type"] = "application/json"

    _kwargs["headers"] = headers
    return _kwargs


def _parse_response(
    *, client: AuthenticatedClient | Client, response: httpx.Response
) -> DeploymentJob | Refusal | None:
    if response.status_code == 200:
        response_200 = DeploymentJob.from_dict(response.json())

        return response_200

    if response.status_code == 202:
        response_202 = DeploymentJob.from_dict(response.json())

        return response_202

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

    if response.status_code == 413:
        response_413 = Refusal.from_dict(response.json())

        return response_413

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
    *,
    client: AuthenticatedClient,
    body: DeployToolRequest,
    idempotency_key: str | Unset = UNSET,
    prefer: str | Unset = UNSET,
) -> Response[DeploymentJob | Refusal]:
    """Deploy a tool

     Makes the newest version of the tool the live one. A deployment that fails answers 200 with FAILED
    and the reason, such as a workflow that refers to a tool which is not defined.

    Args:
        tool_id (str):
        idempotency_key (str | Unset):
        prefer (str | Unset):
        body (DeployToolRequest):

    Raises:
        errors.UnexpectedStatus: If the server returns an undocumented status code and Client.raise_on_unexpected_status is True.
        httpx.TimeoutException: If the request takes longer than Client.timeout.

    Returns:
        Response[DeploymentJob | Refusal]
    """

    kwargs = _get_kwargs(
        tool_id=tool_id,
        body=body,
        idempotency_key=idempotency_key,
        prefer=prefer,
    )

    response = client.get_httpx_client().request(
        **kwargs,
    )

    return _build_response(client=client, response=response)


def sync(
    tool_id: str,
    *,
    client: AuthenticatedClient,
    body: DeployToolRequest,
    idempotency_key: str | Unset = UNSET,
    prefer: str | Unset = UNSET,
) -> DeploymentJob | Refusal | None:
    """Deploy a tool

     Makes the newest version of the tool the live one. A deployment that fails answers 200 with FAILED
    and the reason, such as a workflow that refers to a tool which is not defined.

    Args:
        tool_id (str):
        idempotency_key (str | Unset):
        prefer (str | Unset):
        body (DeployToolRequest):

    Raises:
        errors.UnexpectedStatus: If the server returns an undocumented status code and Client.raise_on_unexpected_status is True.
        httpx.TimeoutException: If the request takes longer than Client.timeout.

    Returns:
        DeploymentJob | Refusal
    """

    return sync_detailed(
        tool_id=tool_id,
        client=client,
        body=body,
        idempotency_key=idempotency_key,
        prefer=prefer,
    ).parsed


async def asyncio_detailed(
    tool_id: str,
    *,
    client: AuthenticatedClient,
    body: DeployToolRequest,
    idempotency_key: str | Unset = UNSET,
    prefer: str | Unset = UNSET,
) -> Response[DeploymentJob | Refusal]:
    """Deploy a tool

     Makes the newest version of the tool the live one. A deployment that fails answers 200 with FAILED
    and the reason, such as a workflow that refers to a tool which is not defined.

    Args:
        tool_id (str):
        idempotency_key (str | Unset):
        prefer (str | Unset):
        body (DeployToolRequest):

    Raises:
        errors.UnexpectedStatus: If the server returns an undocumented status code and Client.raise_on_unexpected_status is True.
        httpx.TimeoutException: If the request takes longer than Client.timeout.

    Returns:
        Response[DeploymentJob | Refusal]
    """

    kwargs = _get_kwargs(
        tool_id=tool_id,
        body=body,
        idempotency_key=idempotency_key,
        prefer=prefer,
    )

    response = await client.get_async_httpx_client().request(**kwargs)

    return _build_response(client=client, response=response)


async def asyncio(
    tool_id: str,
    *,
    client: AuthenticatedClient,
    body: DeployToolRequest,
    idempotency_key: str | Unset = UNSET,
    prefer: str | Unset = UNSET,
) -> DeploymentJob | Refusal | None:
    """Deploy a tool

     Makes the newest version of the tool the live one. A deployment that fails answers 200 with FAILED
    and the reason, such as a workflow that refers to a tool which is not defined.

    Args:
        tool_id (str):
        idempotency_key (str | Unset):
        prefer (str | Unset):
        body (DeployToolRequest):

    Raises:
        errors.UnexpectedStatus: If the server returns an undocumented status code and Client.raise_on_unexpected_status is True.
        httpx.TimeoutException: If the request takes longer than Client.timeout.

    Returns:
        DeploymentJob | Refusal
    """

    return (
        await asyncio_detailed(
            tool_id=tool_id,
            client=client,
            body=body,
            idempotency_key=idempotency_key,
            prefer=prefer,
        )
    ).parsed
