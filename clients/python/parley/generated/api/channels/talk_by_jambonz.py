from http import HTTPStatus
from typing import Any, cast
from urllib.parse import quote

import httpx

from ... import errors
from ...client import AuthenticatedClient, Client
from ...models.refusal import Refusal
from ...types import UNSET, Response, Unset


def _get_kwargs(
    identifier: str,
    *,
    token: str | Unset = UNSET,
) -> dict[str, Any]:
    params: dict[str, Any] = {}

    params["token"] = token

    params = {k: v for k, v in params.items() if v is not UNSET and v is not None}

    _kwargs: dict[str, Any] = {
        "method": "get",
        "url": "/api/v1/channels/jambonz/socket/{identifier}".format(
            identifier=quote(str(identifier), safe=""),
        ),
        "params": params,
    }

    return _kwargs


def _parse_response(
    *, client: AuthenticatedClient | Client, response: httpx.Response
) -> Any | Refusal | None:
    if response.status_code == 101:
        response_101 = cast(Any, None)
        return response_101

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
) -> Response[Any | Refusal]:
    return Response(
        status_code=HTTPStatus(response.status_code),
        content=response.content,
        headers=response.headers,
        parsed=_parse_response(client=client, response=response),
    )


def sync_detailed(
    identifier: str,
    *,
    client: AuthenticatedClient | Client,
    token: str | Unset = UNSET,
) -> Response[Any | Refusal]:
    """Talk on a socket, as the provider of jambonz does

     The provider shows the connection's token, as Authorization: Bearer or Basic, or as the query's
    token. Each message is taken as a request to the webhook is, and answered with what the agent says;
    what takes longer, and what people say, is said when it is there.

    Args:
        identifier (str):
        token (str | Unset):

    Raises:
        errors.UnexpectedStatus: If the server returns an undocumented status code and Client.raise_on_unexpected_status is True.
        httpx.TimeoutException: If the request takes longer than Client.timeout.

    Returns:
        Response[Any | Refusal]
    """

    kwargs = _get_kwargs(
        identifier=identifier,
        token=token,
    )

    response = client.get_httpx_client().request(
        **kwargs,
    )

    return _build_response(client=client, response=response)


def sync(
    identifier: str,
    *,
    client: AuthenticatedClient | Client,
    token: str | Unset = UNSET,
) -> Any | Refusal | None:
    """Talk on a socket, as the provider of jambonz does

     The provider shows the connection's token, as Authorization: Bearer or Basic, or as the query's
    token. Each message is taken as a request to the webhook is, and answered with what the agent says;
    what takes longer, and what people say, is said when it is there.

    Args:
        identifier (str):
        token (str | Unset):

    Raises:
        errors.UnexpectedStatus: If the server returns an undocumented status code and Client.raise_on_unexpected_status is True.
        httpx.TimeoutException: If the request takes longer than Client.timeout.

    Returns:
        Any | Refusal
    """

    return sync_detailed(
        identifier=identifier,
        client=client,
        token=token,
    ).parsed


async def asyncio_detailed(
    identifier: str,
    *,
    client: AuthenticatedClient | Client,
    token: str | Unset = UNSET,
) -> Response[Any | Refusal]:
    """Talk on a socket, as the provider of jambonz does

     The provider shows the connection's token, as Authorization: Bearer or Basic, or as the query's
    token. Each message is taken as a request to the webhook is, and answered with what the agent says;
    what takes longer, and what people say, is said when it is there.

    Args:
        identifier (str):
        token (str | Unset):

    Raises:
        errors.UnexpectedStatus: If the server returns an undocumented status code and Client.raise_on_unexpected_status is True.
        httpx.TimeoutException: If the request takes longer than Client.timeout.

    Returns:
        Response[Any | Refusal]
    """

    kwargs = _get_kwargs(
        identifier=identifier,
        token=token,
    )

    response = await client.get_async_httpx_client().request(**kwargs)

    return _build_response(client=client, response=response)


async def asyncio(
    identifier: str,
    *,
    client: AuthenticatedClient | Client,
    token: str | Unset = UNSET,
) -> Any | Refusal | None:
    """Talk on a socket, as the provider of jambonz does

     The provider shows the connection's token, as Authorization: Bearer or Basic, or as the query's
    token. Each message is taken as a request to the webhook is, and answered with what the agent says;
    what takes longer, and what people say, is said when it is there.

    Args:
        identifier (str):
        token (str | Unset):

    Raises:
        errors.UnexpectedStatus: If the server returns an undocumented status code and Client.raise_on_unexpected_status is True.
        httpx.TimeoutException: If the request takes longer than Client.timeout.

    Returns:
        Any | Refusal
    """

    return (
        await asyncio_detailed(
            identifier=identifier,
            client=client,
            token=token,
        )
    ).parsed
