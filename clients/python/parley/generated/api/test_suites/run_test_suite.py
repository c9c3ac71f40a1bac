from http import HTTPStatus
from typing import Any
from urllib.parse import quote

import httpx

from ... import errors
from ...client import AuthenticatedClient, Client
from ...models.refusal import Refusal
from ...models.run_request import RunRequest
from ...models.test_run import TestRun
from ...types import UNSET, Response, Unset


def _get_kwargs(
    stream_id: str,
    test_suite_name: str,
    *,
    body: RunRequest | Unset = UNSET,
    idempotency_key: str | Unset = UNSET,
    bot_language: str | Unset = UNSET,
) -> dict[str, Any]:
    headers: dict[str, Any] = {}
    if not isinstance(idempotency_key, Unset):
        headers["Idempotency-Key"] = idempotency_key

    if not isinstance(bot_language, Unset):
        headers["bot-language"] = bot_language

    _kwargs: dict[str, Any] = {
        "method": "post",
        "url": "/api/public/stream/{stream_id}/conversation/testsuite/{test_suite_name}/run".format(
            stream_id=quote(str(stream_id), safe=""),
            test_suite_name=quote(str(test_suite_name), safe=""),
        ),
    }

    if not isinstance(body, Unset):
        _kwargs["json"] = body.to_dict()

    headers["Content-Type"] = "application/json"

    _kwargs["headers"] = headers
    return _kwargs


def _parse_response(
    *, client: AuthenticatedClient | Client, response: httpx.Response
) -> Refusal | TestRun | None:
    if response.status_code == 202:
        response_202 = TestRun.from_dict(response.json())

        return response_202

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
    *,
    client: AuthenticatedClient,
    body: RunRequest | Unset = UNSET,
    idempotency_key: str | Unset = UNSET,
    bot_language: str | Unset = UNSET,
) -> Response[Refusal | TestRun]:
    """Run a test suite

     Answers at once with the run, which goes on by itself: see test-run-status. It plays the suite and
    the agents as they stand now, of working copies unless a deployment or an environment is named.
    Tools are answered in place of by the mocks of the cases alone; no session is made, so a run is in
    no report. agent:NAME runs the TESTS of that agent's source.

    Args:
        stream_id (str):
        test_suite_name (str):
        idempotency_key (str | Unset):
        bot_language (str | Unset):
        body (RunRequest | Unset):

    Raises:
        errors.UnexpectedStatus: If the server returns an undocumented status code and Client.raise_on_unexpected_status is True.
        httpx.TimeoutException: If the request takes longer than Client.timeout.

    Returns:
        Response[Refusal | TestRun]
    """

    kwargs = _get_kwargs(
        stream_id=stream_id,
        test_suite_name=test_suite_name,
        body=body,
        idempotency_key=idempotency_key,
        bot_language=bot_language,
    )

    response = client.get_httpx_client().request(
        **kwargs,
    )

    return _build_response(client=client, response=response)


def sync(
    stream_id: str,
    test_suite_name: str,
    *,
    client: AuthenticatedClient,
    body: RunRequest | Unset = UNSET,
    idempotency_key: str | Unset = UNSET,
    bot_language: str | Unset = UNSET,
) -> Refusal | TestRun | None:
    """Run a test suite

     Answers at once with the run, which goes on by itself: see test-run-status. It plays the suite and
    the agents as they stand now, of working copies unless a deployment or an environment is named.
    Tools are answered in place of by the mocks of the cases alone; no session is made, so a run is in
    no report. agent:NAME runs the TESTS of that agent's source.

    Args:
        stream_id (str):
        test_suite_name (str):
        idempotency_key (str | Unset):
        bot_language (str | Unset):
        body (RunRequest | Unset):

    Raises:
        errors.UnexpectedStatus: If the server returns an undocumented status code and Client.raise_on_unexpected_status is True.
        httpx.TimeoutException: If the request takes longer than Client.timeout.

    Returns:
        Refusal | TestRun
    """

    return sync_detailed(
        stream_id=stream_id,
        test_suite_name=test_suite_name,
        client=client,
        body=body,
        idempotency_key=idempotency_key,
        bot_language=bot_language,
    ).parsed


async def asyncio_detailed(
    stream_id: str,
    test_suite_name: str,
    *,
    client: AuthenticatedClient,
    body: RunRequest | Unset = UNSET,
    idempotency_key: str | Unset = UNSET,
    bot_language: str | Unset = UNSET,
) -> Response[Refusal | TestRun]:
    """Run a test suite

     Answers at once with the run, which goes on by itself: see test-run-status. It plays the suite and
    the agents as they stand now, of working copies unless a deployment or an environment is named.
    Tools are answered in place of by the mocks of the cases alone; no session is made, so a run is in
    no report. agent:NAME runs the TESTS of that agent's source.

    Args:
        stream_id (str):
        test_suite_name (str):
        idempotency_key (str | Unset):
        bot_language (str | Unset):
        body (RunRequest | Unset):

    Raises:
        errors.UnexpectedStatus: If the server returns an undocumented status code and Client.raise_on_unexpected_status is True.
        httpx.TimeoutException: If the request takes longer than Client.timeout.

    Returns:
        Response[Refusal | TestRun]
    """

    kwargs = _get_kwargs(
        stream_id=stream_id,
        test_suite_name=test_suite_name,
        body=body,
        idempotency_key=idempotency_key,
        bot_language=bot_language,
    )

    response = await client.get_async_httpx_client().request(**kwargs)

    return _build_response(client=client, response=response)


async def asyncio(
    stream_id: str,
    test_suite_name: str,
    *,
    client: AuthenticatedClient,
    body: RunRequest | Unset = UNSET,
    idempotency_key: str | Unset = UNSET,
    bot_language: str | Unset = UNSET,
) -> Refusal | TestRun | None:
    """Run a test suite

     Answers at once with the run, which goes on by itself: see test-run-status. It plays the suite and
    the agents as they stand now, of working copies unless a deployment or an environment is named.
    Tools are answered in place of by the mocks of the cases alone; no session is made, so a run is in
    no report. agent:NAME runs the TESTS of that agent's source.

    Args:
        stream_id (str):
        test_suite_name (str):
        idempotency_key (str | Unset):
        bot_language (str | Unset):
        body (RunRequest | Unset):

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
            client=client,
            body=body,
            idempotency_key=idempotency_key,
            bot_language=bot_language,
        )
    ).parsed
