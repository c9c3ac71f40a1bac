from http import HTTPStatus
from typing import Any, cast
from urllib.parse import quote

import httpx

from ... import errors
from ...client import AuthenticatedClient, Client
from ...models.refusal import Refusal
from ...types import UNSET, Response, Unset


def _get_kwargs(
    channel_type: str,
    *,
    idempotency_key: str | Unset = UNSET,
) -> dict[str, Any]:
    headers: dict[str, Any] = {}
    if not isinstance(idempotency_key, Unset):
        headers["Idempotency-Key"] = idempotency_key

    _kwargs: dict[str, Any] = {
        "method": "post",
        "url": "/api/v1/channels/{channel_type}/webhook".format(
            channel_type=quote(str(channel_type), safe=""),
        ),
    }

    _kwargs["headers"] = headers
    return _kwargs


def _parse_response(
    *, client: AuthenticatedClient | Client, response: httpx.Response
) -> Refusal | str | None:
    if response.status_code == 200:
        response_200 = cast(str, response.json())
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
) -> Response[Refusal | str]:
    return Response(
        status_code=HTTPStatus(response.status_code),
        content=response.content,
        headers=response.headers,
        parsed=_parse_response(client=client, response=response),
    )


def sync_detailed(
    channel_type: str,
    *,
    client: AuthenticatedClient | Client,
    idempotency_key: str | Unset = UNSET,
) -> Response[Refusal | str]:
    """What the provider of a channel calls

     The signature is that of the provider, over the bytes as they came; on the path without an
    identifier each connection that it names judges it by its own secret, and gets what is its own;
    kinds whose requests name none are 404 there. The answer comes when what was said is on the log, and
    before an agent runs; of kinds whose provider waits for it (genesys, vxml, audiocodes) it is what
    the agent says, or that this takes longer: then the next request has it. What says nothing to us is
    200, and so is what comes twice. GET is for kinds whose provider asks whether we are there, or sends
    all it has in the query.

    Args:
        channel_type (str):
        idempotency_key (str | Unset):

    Raises:
        errors.UnexpectedStatus: If the server returns an undocumented status code and Client.raise_on_unexpected_status is True.
        httpx.TimeoutException: If the request takes longer than Client.timeout.

    Returns:
        Response[Refusal | str]
    """

    kwargs = _get_kwargs(
        channel_type=channel_type,
        idempotency_key=idempotency_key,
    )

    response = client.get_httpx_client().request(
        **kwargs,
    )

    return _build_response(client=client, response=response)


def sync(
    channel_type: str,
    *,
    client: AuthenticatedClient | Client,
    idempotency_key: str | Unset = UNSET,
) -> Refusal | str | None:
    """What the provider of a channel calls

     The signature is that of the provider, over the bytes as they came; on the path without an
    identifier each connection that it names judges it by its own secret, and gets what is its own;
    kinds whose requests name none are 404 there. The answer comes when what was said is on the log, and
    before an agent runs; of kinds whose provider waits for it (genesys, vxml, audiocodes) it is what
    the agent says, or that this takes longer: then the next request has it. What says nothing to us is
    200, and so is what comes twice. GET is for kinds whose provider asks whether we are there, or sends
    all it has in the query.

    Args:
        channel_type (str):
        idempotency_key (str | Unset):

    Raises:
        errors.UnexpectedStatus: If the server returns an undocumented status code and Client.raise_on_unexpected_status is True.
        httpx.TimeoutException: If the request takes longer than Client.timeout.

    Returns:
        Refusal | str
    """

    return sync_detailed(
        channel_type=channel_type,
        client=client,
        idempotency_key=idempotency_key,
    ).parsed


async def asyncio_detailed(
    channel_type: str,
    *,
    client: AuthenticatedClient | Client,
    idempotency_key: str | Unset = UNSET,
) -> Response[Refusal | str]:
    """What the provider of a channel calls

     The signature is that of the provider, over the bytes as they came; on the path without an
    identifier each connection that it names judges it by its own secret, and gets what is its own;
    kinds whose requests name none are 404 there. The answer comes when what was said is on the log, and
    before an agent runs; of kinds whose provider waits for it (genesys, vxml, audiocodes) it is what
    the agent says, or that this takes longer: then the next request has it. What says nothing to us is
    200, and so is what comes twice. GET is for kinds whose provider asks whether we are there, or sends
    all it has in the query.

    Args:
        channel_type (str):
        idempotency_key (str | Unset):

    Raises:
        errors.UnexpectedStatus: If the server returns an undocumented status code and Client.raise_on_unexpected_status is True.
        httpx.TimeoutException: If the request takes longer than Client.timeout.

    Returns:
        Response[Refusal | str]
    """

    kwargs = _get_kwargs(
        channel_type=channel_type,
        idempotency_key=idempotency_key,
    )

    response = await client.get_async_httpx_client().request(**kwargs)

    return _build_response(client=client, response=response)


async def asyncio(
    channel_type: str,
    *,
    client: AuthenticatedClient | Client,
    idempotency_key: str | Unset = UNSET,
) -> Refusal | str | None:
    """What the provider of a channel calls

     The signature is that of the provider, over the bytes as they came; on the path without an
    identifier each connection that it names judges it by its own secret, and gets what is its own;
    kinds whose requests name none are 404 there. The answer comes when what was said is on the log, and
    before an agent runs; of kinds whose provider waits for it (genesys, vxml, audiocodes) it is what
    the agent says, or that this takes longer: then the next request has it. What says nothing to us is
    200, and so is what comes twice. GET is for kinds whose provider asks whether we are there, or sends
    all it has in the query.

    Args:
        channel_type (str):
        idempotency_key (str | Unset):

    Raises:
        errors.UnexpectedStatus: If the server returns an undocumented status code and Client.raise_on_unexpected_status is True.
        httpx.TimeoutException: If the request takes longer than Client.timeout.

    Returns:
        Refusal | str
    """

    return (
        await asyncio_detailed(
            channel_type=channel_type,
            client=client,
            idempotency_key=idempotency_key,
        )
    ).parsed
