from http import HTTPStatus
from typing import Any
from urllib.parse import quote

import httpx

from ... import errors
from ...client import AuthenticatedClient, Client
from ...models.agents_deployment_result import AgentsDeploymentResult
from ...models.promote_request import PromoteRequest
from ...models.refusal import Refusal
from ...types import UNSET, Response, Unset


def _get_kwargs(
    project_id: str,
    deployment_id: str,
    *,
    body: PromoteRequest | Unset = UNSET,
    idempotency_key: str | Unset = UNSET,
) -> dict[str, Any]:
    headers: dict[str, Any] = {}
    if not isinstance(idempotency_key, Unset):
        headers["Idempotency-Key"] = idempotency_key

    _kwargs: dict[str, Any] = {
        "method": "post",
        "url": "/api/projects/{project_id}/deployments/{deployment_id}/promote".format(
            project_id=quote(str(project_id), safe=""),
            deployment_id=quote(str(deployment_id), safe=""),
        ),
    }

    if not isinstance(body, Unset):
        _kwargs["json"] = body.to_dict()

    headers["Content-Type"] = "application/json"

    _kwargs["headers"] = headers
    return _kwargs


def _parse_response(
    *, client: AuthenticatedClient | Client, response: httpx.Response
) -> AgentsDeploymentResult | Refusal | None:
    if response.status_code == 201:
        response_201 = AgentsDeploymentResult.from_dict(response.json())

        return response_201

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
) -> Response[AgentsDeploymentResult | Refusal]:
    return Response(
        status_code=HTTPStatus(response.status_code),
        content=response.content,
        headers=response.headers,
        parsed=_parse_response(client=client, response=response),
    )


def sync_detailed(
    project_id: str,
    deployment_id: str,
    *,
    client: AuthenticatedClient,
    body: PromoteRequest | Unset = UNSET,
    idempotency_key: str | Unset = UNSET,
) -> Response[AgentsDeploymentResult | Refusal]:
    """Deploy the same versions to the next environment

     dev, staging, production. The one that is promoted stays as it is. From production nothing is
    promoted, and nowhere backward. The TESTS in the sources of its agents are run before; where one
    does not pass nothing is promoted, and 409 names it: `skipTests` promotes all the same, and stands
    on the event.

    Args:
        project_id (str):
        deployment_id (str):
        idempotency_key (str | Unset):
        body (PromoteRequest | Unset):

    Raises:
        errors.UnexpectedStatus: If the server returns an undocumented status code and Client.raise_on_unexpected_status is True.
        httpx.TimeoutException: If the request takes longer than Client.timeout.

    Returns:
        Response[AgentsDeploymentResult | Refusal]
    """

    kwargs = _get_kwargs(
        project_id=project_id,
        deployment_id=deployment_id,
        body=body,
        idempotency_key=idempotency_key,
    )

    response = client.get_httpx_client().request(
        **kwargs,
    )

    return _build_response(client=client, response=response)


def sync(
    project_id: str,
    deployment_id: str,
    *,
    client: AuthenticatedClient,
    body: PromoteRequest | Unset = UNSET,
    idempotency_key: str | Unset = UNSET,
) -> AgentsDeploymentResult | Refusal | None:
    """Deploy the same versions to the next environment

     dev, staging, production. The one that is promoted stays as it is. From production nothing is
    promoted, and nowhere backward. The TESTS in the sources of its agents are run before; where one
    does not pass nothing is promoted, and 409 names it: `skipTests` promotes all the same, and stands
    on the event.

    Args:
        project_id (str):
        deployment_id (str):
        idempotency_key (str | Unset):
        body (PromoteRequest | Unset):

    Raises:
        errors.UnexpectedStatus: If the server returns an undocumented status code and Client.raise_on_unexpected_status is True.
        httpx.TimeoutException: If the request takes longer than Client.timeout.

    Returns:
        AgentsDeploymentResult | Refusal
    """

    return sync_detailed(
        project_id=project_id,
        deployment_id=deployment_id,
        client=client,
        body=body,
        idempotency_key=idempotency_key,
    ).parsed


async def asyncio_detailed(
    project_id: str,
    deployment_id: str,
    *,
    client: AuthenticatedClient,
    body: PromoteRequest | Unset = UNSET,
    idempotency_key: str | Unset = UNSET,
) -> Response[AgentsDeploymentResult | Refusal]:
    """Deploy the same versions to the next environment

     dev, staging, production. The one that is promoted stays as it is. From production nothing is
    promoted, and nowhere backward. The TESTS in the sources of its agents are run before; where one
    does not pass nothing is promoted, and 409 names it: `skipTests` promotes all the same, and stands
    on the event.

    Args:
        project_id (str):
        deployment_id (str):
        idempotency_key (str | Unset):
        body (PromoteRequest | Unset):

    Raises:
        errors.UnexpectedStatus: If the server returns an undocumented status code and Client.raise_on_unexpected_status is True.
        httpx.TimeoutException: If the request takes longer than Client.timeout.

    Returns:
        Response[AgentsDeploymentResult | Refusal]
    """

    kwargs = _get_kwargs(
        project_id=project_id,
        deployment_id=deployment_id,
        body=body,
        idempotency_key=idempotency_key,
    )

    response = await client.get_async_httpx_client().request(**kwargs)

    return _build_response(client=client, response=response)


async def asyncio(
    project_id: str,
    deployment_id: str,
    *,
    client: AuthenticatedClient,
    body: PromoteRequest | Unset = UNSET,
    idempotency_key: str | Unset = UNSET,
) -> AgentsDeploymentResult | Refusal | None:
    """Deploy the same versions to the next environment

     dev, staging, production. The one that is promoted stays as it is. From production nothing is
    promoted, and nowhere backward. The TESTS in the sources of its agents are run before; where one
    does not pass nothing is promoted, and 409 names it: `skipTests` promotes all the same, and stands
    on the event.

    Args:
        project_id (str):
        deployment_id (str):
        idempotency_key (str | Unset):
        body (PromoteRequest | Unset):

    Raises:
        errors.UnexpectedStatus: If the server returns an undocumented status code and Client.raise_on_unexpected_status is True.
        httpx.TimeoutException: If the request takes longer than Client.timeout.

    Returns:
        AgentsDeploymentResult | Refusal
    """

    return (
        await asyncio_detailed(
            project_id=project_id,
            deployment_id=deployment_id,
            client=client,
            body=body,
            idempotency_key=idempotency_key,
        )
    ).parsed
