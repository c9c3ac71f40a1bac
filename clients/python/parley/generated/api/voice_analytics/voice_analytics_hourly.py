from http import HTTPStatus
from typing import Any
from urllib.parse import quote

import httpx

from ... import errors
from ...client import AuthenticatedClient, Client
from ...models.refusal import Refusal
from ...models.voice_hourly_result import VoiceHourlyResult
from ...types import UNSET, Response, Unset


def _get_kwargs(
    project_id: str,
    *,
    hours: int | Unset = 168,
) -> dict[str, Any]:
    params: dict[str, Any] = {}

    params["hours"] = hours

    params = {k: v for k, v in params.items() if v is not UNSET and v is not None}

    _kwargs: dict[str, Any] = {
        "method": "get",
        "url": "/api/projects/{project_id}/voice-analytics/hourly".format(
            project_id=quote(str(project_id), safe=""),
        ),
        "params": params,
    }

    return _kwargs


def _parse_response(
    *, client: AuthenticatedClient | Client, response: httpx.Response
) -> Refusal | VoiceHourlyResult | None:
    if response.status_code == 200:
        response_200 = VoiceHourlyResult.from_dict(response.json())

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
) -> Response[Refusal | VoiceHourlyResult]:
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
    hours: int | Unset = 168,
) -> Response[Refusal | VoiceHourlyResult]:
    """Figures of voice calls by hour

     Events of the whole account, such as a change of a trunk, are shown in each of its projects. Figures
    may be a moment behind: asOf says as of when they are. Figures of sound are those of the calls that
    had some: of what we heard (mos by the E-model, jitter), and of turns. How the other side heard us
    nobody tells: avg_outbound_* and avg_tts_proxy_mos are null.

    Args:
        project_id (str):
        hours (int | Unset):  Default: 168.

    Raises:
        errors.UnexpectedStatus: If the server returns an undocumented status code and Client.raise_on_unexpected_status is True.
        httpx.TimeoutException: If the request takes longer than Client.timeout.

    Returns:
        Response[Refusal | VoiceHourlyResult]
    """

    kwargs = _get_kwargs(
        project_id=project_id,
        hours=hours,
    )

    response = client.get_httpx_client().request(
        **kwargs,
    )

    return _build_response(client=client, response=response)


def sync(
    project_id: str,
    *,
    client: AuthenticatedClient,
    hours: int | Unset = 168,
) -> Refusal | VoiceHourlyResult | None:
    """Figures of voice calls by hour

     Events of the whole account, such as a change of a trunk, are shown in each of its projects. Figures
    may be a moment behind: asOf says as of when they are. Figures of sound are those of the calls that
    had some: of what we heard (mos by the E-model, jitter), and of turns. How the other side heard us
    nobody tells: avg_outbound_* and avg_tts_proxy_mos are null.

    Args:
        project_id (str):
        hours (int | Unset):  Default: 168.

    Raises:
        errors.UnexpectedStatus: If the server returns an undocumented status code and Client.raise_on_unexpected_status is True.
        httpx.TimeoutException: If the request takes longer than Client.timeout.

    Returns:
        Refusal | VoiceHourlyResult
    """

    return sync_detailed(
        project_id=project_id,
        client=client,
        hours=hours,
    ).parsed


async def asyncio_detailed(
    project_id: str,
    *,
    client: AuthenticatedClient,
    hours: int | Unset = 168,
) -> Response[Refusal | VoiceHourlyResult]:
    """Figures of voice calls by hour

     Events of the whole account, such as a change of a trunk, are shown in each of its projects. Figures
    may be a moment behind: asOf says as of when they are. Figures of sound are those of the calls that
    had some: of what we heard (mos by the E-model, jitter), and of turns. How the other side heard us
    nobody tells: avg_outbound_* and avg_tts_proxy_mos are null.

    Args:
        project_id (str):
        hours (int | Unset):  Default: 168.

    Raises:
        errors.UnexpectedStatus: If the server returns an undocumented status code and Client.raise_on_unexpected_status is True.
        httpx.TimeoutException: If the request takes longer than Client.timeout.

    Returns:
        Response[Refusal | VoiceHourlyResult]
    """

    kwargs = _get_kwargs(
        project_id=project_id,
        hours=hours,
    )

    response = await client.get_async_httpx_client().request(**kwargs)

    return _build_response(client=client, response=response)


async def asyncio(
    project_id: str,
    *,
    client: AuthenticatedClient,
    hours: int | Unset = 168,
) -> Refusal | VoiceHourlyResult | None:
    """Figures of voice calls by hour

     Events of the whole account, such as a change of a trunk, are shown in each of its projects. Figures
    may be a moment behind: asOf says as of when they are. Figures of sound are those of the calls that
    had some: of what we heard (mos by the E-model, jitter), and of turns. How the other side heard us
    nobody tells: avg_outbound_* and avg_tts_proxy_mos are null.

    Args:
        project_id (str):
        hours (int | Unset):  Default: 168.

    Raises:
        errors.UnexpectedStatus: If the server returns an undocumented status code and Client.raise_on_unexpected_status is True.
        httpx.TimeoutException: If the request takes longer than Client.timeout.

    Returns:
        Refusal | VoiceHourlyResult
    """

    return (
        await asyncio_detailed(
            project_id=project_id,
            client=client,
            hours=hours,
        )
    ).parsed
