from http import HTTPStatus
from typing import Any
from urllib.parse import quote

import httpx

from ... import errors
from ...client import AuthenticatedClient, Client
from ...models.refusal import Refusal
from ...models.test_run import TestRun
from ...types import UNSET, Response, Unset


def _get_kwargs(
    stream_id: str,
    test_suite_name: str,
    test_run_id: str,
    *,
    bot_language: str | Unset = UNSET,
) -> dict[str, Any]:
    headers: dict[str, Any] = {}
    if not isinstance(bot_language, Unset):
        headers["bot-language"] = bot_language

    _kwargs: dict[str, Any] = {
        "method": "get",
        "url": "/api/public/stream/{stream_id}/conversation/testsuite/{test_suite_name}/{test_run_id}/status".format(
            stream_id=quote(str(stream_id), safe=""),
            test_suite_name=quote(str(test_suite_name), safe=""),
            test_run_id=quote(str(test_run_id), safe=""),
        ),
    }

    _kwargs["headers"] = headers
    return _kwargs


def _parse_response(
    *, client: AuthenticatedClient | Client, response: httpx.Response
) -> Refusal | TestRun | None:
    if response.status_code == 200:
        response_200 = TestRun.from_dict(response.json())

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
) -> Response[Refusal | TestRun]:
    return Response(
        status_code=HTTPStatus(response.status_code),
        content=response.content,
        headers=response.headers,
        parsed=_parse_response(client=client, response=response),
    )


def sync_detailed(
    stream_id: str,
    test_suite_name: str,
    test_run_id: str,
    *,
    client: AuthenticatedClient,
    bot_language: str | Unset = UNSET,
) -> Response[Refusal | TestRun]:
    """How far a run of a test suite is, and what came of it

     inprogress until it has ended: passed, failed when something was not as expected, error when it, or
    a case of it, could not be played. failures tells what differed, step by step, as far as it was
    played.

    Args:
        stream_id (str):
        test_suite_name (str):
        test_run_id (str):
        bot_language (str | Unset):

    Raises:
        errors.UnexpectedStatus: If the server returns an undocumented status code and Client.raise_on_unexpected_status is True.
        httpx.TimeoutException: If the request takes longer than Client.timeout.

    Returns:
        Response[Refusal | TestRun]
    """

    kwargs = _get_kwargs(
        stream_id=stream_id,
        test_suite_name=test_suite_name,
        test_run_id=test_run_id,
        bot_language=bot_language,
    )

    response = client.get_httpx_client().request(
        **kwargs,
    )

    return _build_response(client=client, response=response)


def sync(
    stream_id: str,
    test_suite_name: str,
    test_run_id: str,
    *,
    client: AuthenticatedClient,
    bot_language: str | Unset = UNSET,
) -> Refusal | TestRun | None:
    """How far a run of a test suite is, and what came of it

     inprogress until it has ended: passed, failed when something was not as expected, error when it, or
    a case of it, could not be played. failures tells what differed, step by step, as far as it was
    played.

    Args:
        stream_id (str):
        test_suite_name (str):
        test_run_id (str):
        bot_language (str | Unset):

    Raises:
        errors.UnexpectedStatus: If the server returns an undocumented status code and Client.raise_on_unexpected_status is True.
        httpx.TimeoutException: If the request takes longer than Client.timeout.

    Returns:
        Refusal | TestRun
    """

    return sync_detailed(
        stream_id=stream_id,
        test_suite_name=test_suite_name,
        test_run_id=test_run_id,
        client=client,
        bot_language=bot_language,
    ).parsed


async def asyncio_detailed(
    stream_id: str,
    test_suite_name: str,
    test_run_id: str,
    *,
    client: AuthenticatedClient,
    bot_language: str | Unset = UNSET,
) -> Response[Refusal | TestRun]:
    """How far a run of a test suite is, and what came of it

     inprogress until it has ended: passed, failed when something was not as expected, error when it, or
    a case of it, could not be played. failures tells what differed, step by step, as far as it was
    played.

    Args:
        stream_id (str):
        test_suite_name (str):
        test_run_id (str):
        bot_language (str | Unset):

    Raises:
        errors.UnexpectedStatus: If the server returns an undocumented status code and Client.raise_on_unexpected_status is True.
        httpx.TimeoutException: If the request takes longer than Client.timeout.

    Returns:
        Response[Refusal | TestRun]
    """

    kwargs = _get_kwargs(
        stream_id=stream_id,
        test_suite_name=test_suite_name,
        test_run_id=test_run_id,
        bot_language=bot_language,
    )

    response = await client.get_async_httpx_client().request(**kwargs)

    return _build_response(client=client, response=response)


async def asyncio(
    stream_id: str,
    test_suite_name: str,
    test_run_id: str,
    *,
    client: AuthenticatedClient,
    bot_language: str | Unset = UNSET,
) -> Refusal | TestRun | None:
    """How far a run of a test suite is, and what came of it

     inprogress until it has ended: passed, failed when something was not as expected, error when it, or
    a case of it, could not be played. failures tells what differed, step by step, as far as it was
    played.

    Args:
        stream_id (str):
        test_suite_name (str):
        test_run_id (str):
        bot_language (str | Unset):

    Raises:
        errors.UnexpectedStatus: If the server returns an undocumented status code and Client.raise_on_unexpected_status is True.
        httpx.TimeoutException: If the request takes longer than Client.timeout.

    Returns:
        Refusal | TestRun
    """

    return (
        await asyncio_detailed(
            stream_id=stream_id,
            test_suite_name=test_suite_name,
            test_run_id=test_run_id,
            client=client,
            bot_language=bot_language,
        )
    ).parsed
