from http import HTTPStatus
from io import BytesIO
from typing import Any

import httpx

from ... import errors
from ...client import AuthenticatedClient, Client
from ...models.export_person_request import ExportPersonRequest
from ...models.refusal import Refusal
from ...types import UNSET, File, Response, Unset


def _get_kwargs(
    *,
    body: ExportPersonRequest,
    idempotency_key: str | Unset = UNSET,
) -> dict[str, Any]:
    headers: dict[str, Any] = {}
    if not isinstance(idempotency_key, Unset):
        headers["Idempotency-Key"] = idempotency_key

    _kwargs: dict[str, Any] = {
        "method": "post",
        "url": "/api/v1/privacy/exports",
    }

    _kwargs["json"] = body.to_dict()

    headers["Content-Type"] = "application/json"

    _kwargs["headers"] = headers
    return _kwargs


def _parse_response(
    *, client: AuthenticatedClient | Client, response: httpx.Response
) -> File | Refusal | None:
    if response.status_code == 200:
        response_200 = File(payload=BytesIO(response.content))

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
) -> Response[File | Refusal]:
    return Response(
        status_code=HTTPStatus(response.status_code),
        content=response.content,
        headers=response.headers,
        parsed=_parse_response(client=client, response=response),
    )


def sync_detailed(
    *,
    client: AuthenticatedClient,
    body: ExportPersonRequest,
    idempotency_key: str | Unset = UNSET,
) -> Response[File | Refusal]:
    """Hand out what is known of a person

     Takes what the person is known by, and answers with a ZIP: about.json says what was asked for and in
    how many streams the person is; a JSON file for each of them has its events, with what is personal
    in them opened (what is of colleagues, and of others on a list, stays sealed); recordings, files,
    and kept answers of models are beside them. That it was handed out, when, and by whom is an event of
    the category disclosures; of whom is not. An answer that breaks off is cut: what has no end is no
    whole ZIP. One answer holds 10,000 streams, and begins no other after 2 GiB. Somebody who is in more
    streams is refused with PAYLOAD_TOO_LARGE, and is handed out in parts: ask with "after" empty, and
    then with what more.json, the last file of a part, names. A ZIP without more.json is the whole, or
    the last part of it.

    Args:
        idempotency_key (str | Unset):
        body (ExportPersonRequest):

    Raises:
        errors.UnexpectedStatus: If the server returns an undocumented status code and Client.raise_on_unexpected_status is True.
        httpx.TimeoutException: If the request takes longer than Client.timeout.

    Returns:
        Response[File | Refusal]
    """

    kwargs = _get_kwargs(
        body=body,
        idempotency_key=idempotency_key,
    )

    response = client.get_httpx_client().request(
        **kwargs,
    )

    return _build_response(client=client, response=response)


def sync(
    *,
    client: AuthenticatedClient,
    body: ExportPersonRequest,
    idempotency_key: str | Unset = UNSET,
) -> File | Refusal | None:
    """Hand out what is known of a person

     Takes what the person is known by, and answers with a ZIP: about.json says what was asked for and in
    how many streams the person is; a JSON file for each of them has its events, with what is personal
    in them opened (what is of colleagues, and of others on a list, stays sealed); recordings, files,
    and kept answers of models are beside them. That it was handed out, when, and by whom is an event of
    the category disclosures; of whom is not. An answer that breaks off is cut: what has no end is no
    whole ZIP. One answer holds 10,000 streams, and begins no other after 2 GiB. Somebody who is in more
    streams is refused with PAYLOAD_TOO_LARGE, and is handed out in parts: ask with "after" empty, and
    then with what more.json, the last file of a part, names. A ZIP without more.json is the whole, or
    the last part of it.

    Args:
        idempotency_key (str | Unset):
        body (ExportPersonRequest):

    Raises:
        errors.UnexpectedStatus: If the server returns an undocumented status code and Client.raise_on_unexpected_status is True.
        httpx.TimeoutException: If the request takes longer than Client.timeout.

    Returns:
        File | Refusal
    """

    return sync_detailed(
        client=client,
        body=body,
        idempotency_key=idempotency_key,
    ).parsed


async def asyncio_detailed(
    *,
    client: AuthenticatedClient,
    body: ExportPersonRequest,
    idempotency_key: str | Unset = UNSET,
) -> Response[File | Refusal]:
    """Hand out what is known of a person

     Takes what the person is known by, and answers with a ZIP: about.json says what was asked for and in
    how many streams the person is; a JSON file for each of them has its events, with what is personal
    in them opened (what is of colleagues, and of others on a list, stays sealed); recordings, files,
    and kept answers of models are beside them. That it was handed out, when, and by whom is an event of
    the category disclosures; of whom is not. An answer that breaks off is cut: what has no end is no
    whole ZIP. One answer holds 10,000 streams, and begins no other after 2 GiB. Somebody who is in more
    streams is refused with PAYLOAD_TOO_LARGE, and is handed out in parts: ask with "after" empty, and
    then with what more.json, the last file of a part, names. A ZIP without more.json is the whole, or
    the last part of it.

    Args:
        idempotency_key (str | Unset):
        body (ExportPersonRequest):

    Raises:
        errors.UnexpectedStatus: If the server returns an undocumented status code and Client.raise_on_unexpected_status is True.
        httpx.TimeoutException: If the request takes longer than Client.timeout.

    Returns:
        Response[File | Refusal]
    """

    kwargs = _get_kwargs(
        body=body,
        idempotency_key=idempotency_key,
    )

    response = await client.get_async_httpx_client().request(**kwargs)

    return _build_response(client=client, response=response)


async def asyncio(
    *,
    client: AuthenticatedClient,
    body: ExportPersonRequest,
    idempotency_key: str | Unset = UNSET,
) -> File | Refusal | None:
    """Hand out what is known of a person

     Takes what the person is known by, and answers with a ZIP: about.json says what was asked for and in
    how many streams the person is; a JSON file for each of them has its events, with what is personal
    in them opened (what is of colleagues, and of others on a list, stays sealed); recordings, files,
    and kept answers of models are beside them. That it was handed out, when, and by whom is an event of
    the category disclosures; of whom is not. An answer that breaks off is cut: what has no end is no
    whole ZIP. One answer holds 10,000 streams, and begins no other after 2 GiB. Somebody who is in more
    streams is refused with PAYLOAD_TOO_LARGE, and is handed out in parts: ask with "after" empty, and
    then with what more.json, the last file of a part, names. A ZIP without more.json is the whole, or
    the last part of it.

    Args:
        idempotency_key (str | Unset):
        body (ExportPersonRequest):

    Raises:
        errors.UnexpectedStatus: If the server returns an undocumented status code and Client.raise_on_unexpected_status is True.
        httpx.TimeoutException: If the request takes longer than Client.timeout.

    Returns:
        File | Refusal
    """

    return (
        await asyncio_detailed(
            client=client,
            body=body,
            idempotency_key=idempotency_key,
        )
    ).parsed
