from http import HTTPStatus
from typing import Any
from urllib.parse import quote

import httpx

from ... import errors
from ...client import AuthenticatedClient, Client
from ...models.findings_result import FindingsResult
from ...models.refusal import Refusal
from ...models.session_analysis_severity import SessionAnalysisSeverity
from ...types import UNSET, Response, Unset


def _get_kwargs(
    project_id: str,
    id: str,
    *,
    severity: SessionAnalysisSeverity | Unset = UNSET,
    limit: int | Unset = 100,
    offset: int | Unset = 0,
) -> dict[str, Any]:
    params: dict[str, Any] = {}

    json_severity: str | Unset = UNSET
    if not isinstance(severity, Unset):
        json_severity = severity.value

    params["severity"] = json_severity

    params["limit"] = limit

    params["offset"] = offset

    params = {k: v for k, v in params.items() if v is not UNSET and v is not None}

    _kwargs: dict[str, Any] = {
        "method": "get",
        "url": "/api/projects/{project_id}/sessions/{id}/analysis".format(
            project_id=quote(str(project_id), safe=""),
            id=quote(str(id), safe=""),
        ),
        "params": params,
    }

    return _kwargs


def _parse_response(
    *, client: AuthenticatedClient | Client, response: httpx.Response
) -> FindingsResult | Refusal | None:
    if response.status_code == 200:
        response_200 = FindingsResult.from_dict(response.json())

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
) -> Response[FindingsResult | Refusal]:
    return Response(
        status_code=HTTPStatus(response.status_code),
        content=response.content,
        headers=response.headers,
        parsed=_parse_response(client=client, response=response),
    )


def sync_detailed(
    project_id: str,
    id: str,
    *,
    client: AuthenticatedClient,
    severity: SessionAnalysisSeverity | Unset = UNSET,
    limit: int | Unset = 100,
    offset: int | Unset = 0,
) -> Response[FindingsResult | Refusal]:
    """Read what is conspicuous in a session

     By rules, without a model; each finding names the span where it is seen. What happened again and
    again for the same reason is one finding, of its first span, with a count.

    Args:
        project_id (str):
        id (str):
        severity (SessionAnalysisSeverity | Unset):
        limit (int | Unset):  Default: 100.
        offset (int | Unset):  Default: 0.

    Raises:
        errors.UnexpectedStatus: If the server returns an undocumented status code and Client.raise_on_unexpected_status is True.
        httpx.TimeoutException: If the request takes longer than Client.timeout.

    Returns:
        Response[FindingsResult | Refusal]
    """

    kwargs = _get_kwargs(
        project_id=project_id,
        id=id,
        severity=severity,
        limit=limit,
        offset=offset,
    )

    response = client.get_httpx_client().request(
        **kwargs,
    )

    return _build_response(client=client, response=response)


def sync(
    project_id: str,
    id: str,
    *,
    client: AuthenticatedClient,
    severity: SessionAnalysisSeverity | Unset = UNSET,
    limit: int | Unset = 100,
    offset: int | Unset = 0,
) -> FindingsResult | Refusal | None:
    """Read what is conspicuous in a session

     By rules, without a model; each finding names the span where it is seen. What happened again and
    again for the same reason is one finding, of its first span, with a count.

    Args:
        project_id (str):
        id (str):
        severity (SessionAnalysisSeverity | Unset):
        limit (int | Unset):  Default: 100.
        offset (int | Unset):  Default: 0.

    Raises:
        errors.UnexpectedStatus: If the server returns an undocumented status code and Client.raise_on_unexpected_status is True.
        httpx.TimeoutException: If the request takes longer than Client.timeout.

    Returns:
        FindingsResult | Refusal
    """

    return sync_detailed(
        project_id=project_id,
        id=id,
        client=client,
        severity=severity,
        limit=limit,
        offset=offset,
    ).parsed


async def asyncio_detailed(
    project_id: str,
    id: str,
    *,
    client: AuthenticatedClient,
    severity: SessionAnalysisSeverity | Unset = UNSET,
    limit: int | Unset = 100,
    offset: int | Unset = 0,
) -> Response[FindingsResult | Refusal]:
    """Read what is conspicuous in a session

     By rules, without a model; each finding names the span where it is seen. What happened again and
    again for the same reason is one finding, of its first span, with a count.

    Args:
        project_id (str):
        id (str):
        severity (SessionAnalysisSeverity | Unset):
        limit (int | Unset):  Default: 100.
        offset (int | Unset):  Default: 0.

    Raises:
        errors.UnexpectedStatus: If the server returns an undocumented status code and Client.raise_on_unexpected_status is True.
        httpx.TimeoutException: If the request takes longer than Client.timeout.

    Returns:
        Response[FindingsResult | Refusal]
    """

    kwargs = _get_kwargs(
        project_id=project_id,
        id=id,
        severity=severity,
        limit=limit,
        offset=offset,
    )

    response = await client.get_async_httpx_client().request(**kwargs)

    return _build_response(client=client, response=response)


async def asyncio(
    project_id: str,
    id: str,
    *,
    client: AuthenticatedClient,
    severity: SessionAnalysisSeverity | Unset = UNSET,
    limit: int | Unset = 100,
    offset: int | Unset = 0,
) -> FindingsResult | Refusal | None:
    """Read what is conspicuous in a session

     By rules, without a model; each finding names the span where it is seen. What happened again and
    again for the same reason is one finding, of its first span, with a count.

    Args:
        project_id (str):
        id (str):
        severity (SessionAnalysisSeverity | Unset):
        limit (int | Unset):  Default: 100.
        offset (int | Unset):  Default: 0.

    Raises:
        errors.UnexpectedStatus: If the server returns an undocumented status code and Client.raise_on_unexpected_status is True.
        httpx.TimeoutException: If the request takes longer than Client.timeout.

    Returns:
        FindingsResult | Refusal
    """

    return (
        await asyncio_detailed(
            project_id=project_id,
            id=id,
            client=client,
            severity=severity,
            limit=limit,
            offset=offset,
        )
    ).parsed
