from http import HTTPStatus
from io import BytesIO
from typing import Any, cast
from urllib.parse import quote

import httpx

from ... import errors
from ...client import AuthenticatedClient, Client
from ...models.refusal import Refusal
from ...types import UNSET, File, Response, Unset


def _get_kwargs(
    file_id: str,
    *,
    expires: int,
    signature: str,
    range_: str | Unset = UNSET,
) -> dict[str, Any]:
    headers: dict[str, Any] = {}
    if not isinstance(range_, Unset):
        headers["Range"] = range_

    params: dict[str, Any] = {}

    params["expires"] = expires

    params["signature"] = signature

    params = {k: v for k, v in params.items() if v is not UNSET and v is not None}

    _kwargs: dict[str, Any] = {
        "method": "get",
        "url": "/api/v1/files/{file_id}".format(
            file_id=quote(str(file_id), safe=""),
        ),
        "params": params,
    }

    _kwargs["headers"] = headers
    return _kwargs


def _parse_response(
    *, client: AuthenticatedClient | Client, response: httpx.Response
) -> Any | File | Refusal | str | None:
    if response.status_code == 200:
        response_200 = File(payload=BytesIO(response.content))

        return response_200

    if response.status_code == 206:
        response_206 = File(payload=BytesIO(response.content))

        return response_206

    if response.status_code == 304:
        response_304 = cast(Any, None)
        return response_304

    if response.status_code == 400:
        response_400 = Refusal.from_dict(response.json())

        return response_400

    if response.status_code == 403:
        response_403 = Refusal.from_dict(response.json())

        return response_403

    if response.status_code == 404:
        response_404 = Refusal.from_dict(response.json())

        return response_404

    if response.status_code == 410:
        response_410 = Refusal.from_dict(response.json())

        return response_410

    if response.status_code == 416:
        response_416 = response.text
        return response_416

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
) -> Response[Any | File | Refusal | str]:
    return Response(
        status_code=HTTPStatus(response.status_code),
        content=response.content,
        headers=response.headers,
        parsed=_parse_response(client=client, response=response),
    )


def sync_detailed(
    file_id: str,
    *,
    client: AuthenticatedClient | Client,
    expires: int,
    signature: str,
    range_: str | Unset = UNSET,
) -> Response[Any | File | Refusal | str]:
    """Download a file by its signed address

     The address is the credential: it works for an hour for whoever has it. A wrong signature is 403, an
    address whose time is over 410. A caller who accepts application/octet-stream and not the type of
    the file gets it under that.

    Args:
        file_id (str):
        expires (int):
        signature (str):
        range_ (str | Unset):

    Raises:
        errors.UnexpectedStatus: If the server returns an undocumented status code and Client.raise_on_unexpected_status is True.
        httpx.TimeoutException: If the request takes longer than Client.timeout.

    Returns:
        Response[Any | File | Refusal | str]
    """

    kwargs = _get_kwargs(
        file_id=file_id,
        expires=expires,
        signature=signature,
        range_=range_,
    )

    response = client.get_httpx_client().request(
        **kwargs,
    )

    return _build_response(client=client, response=response)


def sync(
    file_id: str,
    *,
    client: AuthenticatedClient | Client,
    expires: int,
    signature: str,
    range_: str | Unset = UNSET,
) -> Any | File | Refusal | str | None:
    """Download a file by its signed address

     The address is the credential: it works for an hour for whoever has it. A wrong signature is 403, an
    address whose time is over 410. A caller who accepts application/octet-stream and not the type of
    the file gets it under that.

    Args:
        file_id (str):
        expires (int):
        signature (str):
        range_ (str | Unset):

    Raises:
        errors.UnexpectedStatus: If the server returns an undocumented status code and Client.raise_on_unexpected_status is True.
        httpx.TimeoutException: If the request takes longer than Client.timeout.

    Returns:
        Any | File | Refusal | str
    """

    return sync_detailed(
        file_id=file_id,
        client=client,
        expires=expires,
        signature=signature,
        range_=range_,
    ).parsed


async def asyncio_detailed(
    file_id: str,
    *,
    client: AuthenticatedClient | Client,
    expires: int,
    signature: str,
    range_: str | Unset = UNSET,
) -> Response[Any | File | Refusal | str]:
    """Download a file by its signed address

     The address is the credential: it works for an hour for whoever has it. A wrong signature is 403, an
    address whose time is over 410. A caller who accepts application/octet-stream and not the type of
    the file gets it under that.

    Args:
        file_id (str):
        expires (int):
        signature (str):
        range_ (str | Unset):

    Raises:
        errors.UnexpectedStatus: If the server returns an undocumented status code and Client.raise_on_unexpected_status is True.
        httpx.TimeoutException: If the request takes longer than Client.timeout.

    Returns:
        Response[Any | File | Refusal | str]
    """

    kwargs = _get_kwargs(
        file_id=file_id,
        expires=expires,
        signature=signature,
        range_=range_,
    )

    response = await client.get_async_httpx_client().request(**kwargs)

    return _build_response(client=client, response=response)


async def asyncio(
    file_id: str,
    *,
    client: AuthenticatedClient | Client,
    expires: int,
    signature: str,
    range_: str | Unset = UNSET,
) -> Any | File | Refusal | str | None:
    """Download a file by its signed address

     The address is the credential: it works for an hour for whoever has it. A wrong signature is 403, an
    address whose time is over 410. A caller who accepts application/octet-stream and not the type of
    the file gets it under that.

    Args:
        file_id (str):
        expires (int):
        signature (str):
        range_ (str | Unset):

    Raises:
        errors.UnexpectedStatus: If the server returns an undocumented status code and Client.raise_on_unexpected_status is True.
        httpx.TimeoutException: If the request takes longer than Client.timeout.

    Returns:
        Any | File | Refusal | str
    """

    return (
        await asyncio_detailed(
            file_id=file_id,
            client=client,
            expires=expires,
            signature=signature,
            range_=range_,
        )
    ).parsed
