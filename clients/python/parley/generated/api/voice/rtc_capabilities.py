from http import HTTPStatus
from typing import Any

import httpx

from ... import errors
from ...client import AuthenticatedClient, Client
from ...models.refusal import Refusal
from ...models.rtc_capabilities_result import RtcCapabilitiesResult
from ...types import UNSET, Response, Unset


def _get_kwargs(
    *,
    project_id: str | Unset = UNSET,
) -> dict[str, Any]:
    params: dict[str, Any] = {}

    params["projectId"] = project_id

    params = {k: v for k, v in params.items() if v is not UNSET and v is not None}

    _kwargs: dict[str, Any] = {
        "method": "get",
        "url": "/api/v1/rtc/capabilities",
        "params": params,
    }

    return _kwargs


def _parse_response(
    *, client: AuthenticatedClient | Client, response: httpx.Response
) -> Refusal | RtcCapabilitiesResult | None:
    if response.status_code == 200:
        response_200 = RtcCapabilitiesResult.from_dict(response.json())

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
) -> Response[Refusal | RtcCapabilitiesResult]:
    return Response(
        status_code=HTTPStatus(response.status_code),
        content=response.content,
        headers=response.headers,
        parsed=_parse_response(client=client, response=response),
    )


def sync_detailed(
    *,
    client: AuthenticatedClient,
    project_id: str | Unset = UNSET,
) -> Response[Refusal | RtcCapabilitiesResult]:
    """Whether there are rooms

     `enabled`: the server allows rooms, and there is an account for them: an active connection of the
    kind livekit in the project, or without one in any of the account, or the server's own.
    `configured`: that account has its URL, key and secret. Without such an account both say whether
    pages call this server itself (rtc-connect), and `own` that they do. Where the operator wants no
    rooms all are false.

    Args:
        project_id (str | Unset):

    Raises:
        errors.UnexpectedStatus: If the server returns an undocumented status code and Client.raise_on_unexpected_status is True.
        httpx.TimeoutException: If the request takes longer than Client.timeout.

    Returns:
        Response[Refusal | RtcCapabilitiesResult]
    """

    kwargs = _get_kwargs(
        project_id=project_id,
    )

    response = client.get_httpx_client().request(
        **kwargs,
    )

    return _build_response(client=client, response=response)


def sync(
    *,
    client: AuthenticatedClient,
    project_id: str | Unset = UNSET,
) -> Refusal | RtcCapabilitiesResult | None:
    """Whether there are rooms

     `enabled`: the server allows rooms, and there is an account for them: an active connection of the
    kind livekit in the project, or without one in any of the account, or the server's own.
    `configured`: that account has its URL, key and secret. Without such an account both say whether
    pages call this server itself (rtc-connect), and `own` that they do. Where the operator wants no
    rooms all are false.

    Args:
        project_id (str | Unset):

    Raises:
        errors.UnexpectedStatus: If the server returns an undocumented status code and Client.raise_on_unexpected_status is True.
        httpx.TimeoutException: If the request takes longer than Client.timeout.

    Returns:
        Refusal | RtcCapabilitiesResult
    """

    return sync_detailed(
        client=client,
        project_id=project_id,
    ).parsed


async def asyncio_detailed(
    *,
    client: AuthenticatedClient,
    project_id: str | Unset = UNSET,
) -> Response[Refusal | RtcCapabilitiesResult]:
    """Whether there are rooms

     `enabled`: the server allows rooms, and there is an account for them: an active connection of the
    kind livekit in the project, or without one in any of the account, or the server's own.
    `configured`: that account has its URL, key and secret. Without such an account both say whether
    pages call this server itself (rtc-connect), and `own` that they do. Where the operator wants no
    rooms all are false.

    Args:
        project_id (str | Unset):

    Raises:
        errors.UnexpectedStatus: If the server returns an undocumented status code and Client.raise_on_unexpected_status is True.
        httpx.TimeoutException: If the request takes longer than Client.timeout.

    Returns:
        Response[Refusal | RtcCapabilitiesResult]
    """

    kwargs = _get_kwargs(
        project_id=project_id,
    )

    response = await client.get_async_httpx_client().request(**kwargs)

    return _build_response(client=client, response=response)


async def asyncio(
    *,
    client: AuthenticatedClient,
    project_id: str | Unset = UNSET,
) -> Refusal | RtcCapabilitiesResult | None:
    """Whether there are rooms

     `enabled`: the server allows rooms, and there is an account for them: an active connection of the
    kind livekit in the project, or without one in any of the account, or the server's own.
    `configured`: that account has its URL, key and secret. Without such an account both say whether
    pages call this server itself (rtc-connect), and `own` that they do. Where the operator wants no
    rooms all are false.

    Args:
        project_id (str | Unset):

    Raises:
        errors.UnexpectedStatus: If the server returns an undocumented status code and Client.raise_on_unexpected_status is True.
        httpx.TimeoutException: If the request takes longer than Client.timeout.

    Returns:
        Refusal | RtcCapabilitiesResult
    """

    return (
        await asyncio_detailed(
            client=client,
            project_id=project_id,
        )
    ).parsed
