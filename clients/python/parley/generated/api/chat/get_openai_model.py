from http import HTTPStatus
from typing import Any
from urllib.parse import quote

import httpx

from ... import errors
from ...client import AuthenticatedClient, Client
from ...models.open_ai_model import OpenAIModel
from ...models.open_ai_refusal import OpenAIRefusal
from ...types import UNSET, Response, Unset


def _get_kwargs(
    model: str,
    *,
    open_ai_project: str | Unset = UNSET,
) -> dict[str, Any]:
    headers: dict[str, Any] = {}
    if not isinstance(open_ai_project, Unset):
        headers["OpenAI-Project"] = open_ai_project

    _kwargs: dict[str, Any] = {
        "method": "get",
        "url": "/v1/models/{model}".format(
            model=quote(str(model), safe=""),
        ),
    }

    _kwargs["headers"] = headers
    return _kwargs


def _parse_response(
    *, client: AuthenticatedClient | Client, response: httpx.Response
) -> OpenAIModel | OpenAIRefusal | None:
    if response.status_code == 200:
        response_200 = OpenAIModel.from_dict(response.json())

        return response_200

    if response.status_code == 400:
        response_400 = OpenAIRefusal.from_dict(response.json())

        return response_400

    if response.status_code == 401:
        response_401 = OpenAIRefusal.from_dict(response.json())

        return response_401

    if response.status_code == 403:
        response_403 = OpenAIRefusal.from_dict(response.json())

        return response_403

    if response.status_code == 404:
        response_404 = OpenAIRefusal.from_dict(response.json())

        return response_404

    if response.status_code == 429:
        response_429 = OpenAIRefusal.from_dict(response.json())

        return response_429

    if response.status_code == 500:
        response_500 = OpenAIRefusal.from_dict(response.json())

        return response_500

    if response.status_code == 503:
        response_503 = OpenAIRefusal.from_dict(response.json())

        return response_503

    if client.raise_on_unexpected_status:
        raise errors.UnexpectedStatus(response.status_code, response.content)
    else:
        return None


def _build_response(
    *, client: AuthenticatedClient | Client, response: httpx.Response
) -> Response[OpenAIModel | OpenAIRefusal]:
    return Response(
        status_code=HTTPStatus(response.status_code),
        content=response.content,
        headers=response.headers,
        parsed=_parse_response(client=client, response=response),
    )


def sync_detailed(
    model: str,
    *,
    client: AuthenticatedClient,
    open_ai_project: str | Unset = UNSET,
) -> Response[OpenAIModel | OpenAIRefusal]:
    """Read one of what create-openai-completion may be asked for, in OpenAI's form

     As list-openai-models shows it, of the same project; 404 for what is not there.

    Args:
        model (str):
        open_ai_project (str | Unset):

    Raises:
        errors.UnexpectedStatus: If the server returns an undocumented status code and Client.raise_on_unexpected_status is True.
        httpx.TimeoutException: If the request takes longer than Client.timeout.

    Returns:
        Response[OpenAIModel | OpenAIRefusal]
    """

    kwargs = _get_kwargs(
        model=model,
        open_ai_project=open_ai_project,
    )

    response = client.get_httpx_client().request(
        **kwargs,
    )

    return _build_response(client=client, response=response)


def sync(
    model: str,
    *,
    client: AuthenticatedClient,
    open_ai_project: str | Unset = UNSET,
) -> OpenAIModel | OpenAIRefusal | None:
    """Read one of what create-openai-completion may be asked for, in OpenAI's form

     As list-openai-models shows it, of the same project; 404 for what is not there.

    Args:
        model (str):
        open_ai_project (str | Unset):

    Raises:
        errors.UnexpectedStatus: If the server returns an undocumented status code and Client.raise_on_unexpected_status is True.
        httpx.TimeoutException: If the request takes longer than Client.timeout.

    Returns:
        OpenAIModel | OpenAIRefusal
    """

    return sync_detailed(
        model=model,
        client=client,
        open_ai_project=open_ai_project,
    ).parsed


async def asyncio_detailed(
    model: str,
    *,
    client: AuthenticatedClient,
    open_ai_project: str | Unset = UNSET,
) -> Response[OpenAIModel | OpenAIRefusal]:
    """Read one of what create-openai-completion may be asked for, in OpenAI's form

     As list-openai-models shows it, of the same project; 404 for what is not there.

    Args:
        model (str):
        open_ai_project (str | Unset):

    Raises:
        errors.UnexpectedStatus: If the server returns an undocumented status code and Client.raise_on_unexpected_status is True.
        httpx.TimeoutException: If the request takes longer than Client.timeout.

    Returns:
        Response[OpenAIModel | OpenAIRefusal]
    """

    kwargs = _get_kwargs(
        model=model,
        open_ai_project=open_ai_project,
    )

    response = await client.get_async_httpx_client().request(**kwargs)

    return _build_response(client=client, response=response)


async def asyncio(
    model: str,
    *,
    client: AuthenticatedClient,
    open_ai_project: str | Unset = UNSET,
) -> OpenAIModel | OpenAIRefusal | None:
    """Read one of what create-openai-completion may be asked for, in OpenAI's form

     As list-openai-models shows it, of the same project; 404 for what is not there.

    Args:
        model (str):
        open_ai_project (str | Unset):

    Raises:
        errors.UnexpectedStatus: If the server returns an undocumented status code and Client.raise_on_unexpected_status is True.
        httpx.TimeoutException: If the request takes longer than Client.timeout.

    Returns:
        OpenAIModel | OpenAIRefusal
    """

    return (
        await asyncio_detailed(
            model=model,
            client=client,
            open_ai_project=open_ai_project,
        )
    ).parsed
