from http import HTTPStatus
from typing import Any
from urllib.parse import quote

import httpx

from ... import errors
from ...client import AuthenticatedClient, Client
from ...models.record_result import RecordResult
from ...models.refusal import Refusal
from ...types import UNSET, Response, Unset


def _get_kwargs(
    project_id: str,
    id: str,
    *,
    name: str | Unset = UNSET,
) -> dict[str, Any]:
    params: dict[str, Any] = {}

    params["name"] = name

    params = {k: v for k, v in params.items() if v is not UNSET and v is not None}

    _kwargs: dict[str, Any] = {
        "method": "get",
        "url": "/api/projects/{project_id}/sessions/{id}/testcase".format(
            project_id=quote(str(project_id), safe=""),
            id=quote(str(id), safe=""),
        ),
        "params": params,
    }

    return _kwargs


def _parse_response(
    *, client: AuthenticatedClient | Client, response: httpx.Response
) -> RecordResult | Refusal | None:
    if response.status_code == 200:
        response_200 = RecordResult.from_dict(response.json())

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

    if response.status_code == 410:
        response_410 = Refusal.from_dict(response.json())

        return response_410

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
) -> Response[RecordResult | Refusal]:
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
    name: str | Unset = UNSET,
) -> Response[RecordResult | Refusal]:
    """Make a case of a test suite of a session

     What the user said since the last reset, with what was said to it as what is expected, and what
    tools answered as mocks. `suite` is the spec of a manifest of kind TestSuite; `notes` say what of
    the session a case cannot have, `played` whether the case comes to the same by the sources that the
    session went by. It needs personal:read as well.

    Args:
        project_id (str):
        id (str):
        name (str | Unset):

    Raises:
        errors.UnexpectedStatus: If the server returns an undocumented status code and Client.raise_on_unexpected_status is True.
        httpx.TimeoutException: If the request takes longer than Client.timeout.

    Returns:
        Response[RecordResult | Refusal]
    """

    kwargs = _get_kwargs(
        project_id=project_id,
        id=id,
        name=name,
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
    name: str | Unset = UNSET,
) -> RecordResult | Refusal | None:
    """Make a case of a test suite of a session

     What the user said since the last reset, with what was said to it as what is expected, and what
    tools answered as mocks. `suite` is the spec of a manifest of kind TestSuite; `notes` say what of
    the session a case cannot have, `played` whether the case comes to the same by the sources that the
    session went by. It needs personal:read as well.

    Args:
        project_id (str):
        id (str):
        name (str | Unset):

    Raises:
        errors.UnexpectedStatus: If the server returns an undocumented status code and Client.raise_on_unexpected_status is True.
        httpx.TimeoutException: If the request takes longer than Client.timeout.

    Returns:
        RecordResult | Refusal
    """

    return sync_detailed(
        project_id=project_id,
        id=id,
        client=client,
        name=name,
    ).parsed


async def asyncio_detailed(
    project_id: str,
    id: str,
    *,
    client: AuthenticatedClient,
    name: str | Unset = UNSET,
) -> Response[RecordResult | Refusal]:
    """Make a case of a test suite of a session

     What the user said since the last reset, with what was said to it as what is expected, and what
    tools answered as mocks. `suite` is the spec of a manifest of kind TestSuite; `notes` say what of
    the session a case cannot have, `played` whether the case comes to the same by the sources that the
    session went by. It needs personal:read as well.

    Args:
        project_id (str):
        id (str):
        name (str | Unset):

    Raises:
        errors.UnexpectedStatus: If the server returns an undocumented status code and Client.raise_on_unexpected_status is True.
        httpx.TimeoutException: If the request takes longer than Client.timeout.

    Returns:
        Response[RecordResult | Refusal]
    """

    kwargs = _get_kwargs(
        project_id=project_id,
        id=id,
        name=name,
    )

    response = await client.get_async_httpx_client().request(**kwargs)

    return _build_response(client=client, response=response)


async def asyncio(
    project_id: str,
    id: str,
    *,
    client: AuthenticatedClient,
    name: str | Unset = UNSET,
) -> RecordResult | Refusal | None:
    """Make a case of a test suite of a session

     What the user said since the last reset, with what was said to it as what is expected, and what
    tools answered as mocks. `suite` is the spec of a manifest of kind TestSuite; `notes` say what of
    the session a case cannot have, `played` whether the case comes to the same by the sources that the
    session went by. It needs personal:read as well.

    Args:
        project_id (str):
        id (str):
        name (str | Unset):

    Raises:
        errors.UnexpectedStatus: If the server returns an undocumented status code and Client.raise_on_unexpected_status is True.
        httpx.TimeoutException: If the request takes longer than Client.timeout.

    Returns:
        RecordResult | Refusal
    """

    return (
        await asyncio_detailed(
            project_id=project_id,
            id=id,
            client=client,
            name=name,
        )
    ).parsed
