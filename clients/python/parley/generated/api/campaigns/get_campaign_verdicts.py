from http import HTTPStatus
from typing import Any
from urllib.parse import quote

import httpx

from ... import errors
from ...client import AuthenticatedClient, Client
from ...models.campaign_verdicts_result import CampaignVerdictsResult
from ...models.refusal import Refusal
from ...types import UNSET, Response, Unset


def _get_kwargs(
    iid_path: str,
    campaign_id: str,
    *,
    campaign_instance_id: str | Unset = UNSET,
    account_id: str,
    iid_header: str,
) -> dict[str, Any]:
    headers: dict[str, Any] = {}
    headers["accountId"] = account_id

    headers["iid"] = iid_header

    params: dict[str, Any] = {}

    params["campaignInstanceId"] = campaign_instance_id

    params = {k: v for k, v in params.items() if v is not UNSET and v is not None}

    _kwargs: dict[str, Any] = {
        "method": "get",
        "url": "/agentassist/api/v1/public/{iid_path}/campaign/{campaign_id}/verdicts".format(
            iid_path=quote(str(iid_path), safe=""),
            campaign_id=quote(str(campaign_id), safe=""),
        ),
        "params": params,
    }

    _kwargs["headers"] = headers
    return _kwargs


def _parse_response(
    *, client: AuthenticatedClient | Client, response: httpx.Response
) -> CampaignVerdictsResult | Refusal | None:
    if response.status_code == 200:
        response_200 = CampaignVerdictsResult.from_dict(response.json())

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
) -> Response[CampaignVerdictsResult | Refusal]:
    return Response(
        status_code=HTTPStatus(response.status_code),
        content=response.content,
        headers=response.headers,
        parsed=_parse_response(client=client, response=response),
    )


def sync_detailed(
    iid_path: str,
    campaign_id: str,
    *,
    client: AuthenticatedClient,
    campaign_instance_id: str | Unset = UNSET,
    account_id: str,
    iid_header: str,
) -> Response[CampaignVerdictsResult | Refusal]:
    """Read who was taken for a machine, and what was heard next

     For each verdict of answering machine detection: on how many calls of the campaign it was given, and
    what was heard behind it, as far as an agent listened. A call counts under the first of next that is
    true of it. What speaks against the verdict is summed up as contradicted: it is how wrong verdicts
    are found in the field.

    Args:
        iid_path (str):
        campaign_id (str):
        campaign_instance_id (str | Unset):
        account_id (str):
        iid_header (str):

    Raises:
        errors.UnexpectedStatus: If the server returns an undocumented status code and Client.raise_on_unexpected_status is True.
        httpx.TimeoutException: If the request takes longer than Client.timeout.

    Returns:
        Response[CampaignVerdictsResult | Refusal]
    """

    kwargs = _get_kwargs(
        iid_path=iid_path,
        campaign_id=campaign_id,
        campaign_instance_id=campaign_instance_id,
        account_id=account_id,
        iid_header=iid_header,
    )

    response = client.get_httpx_client().request(
        **kwargs,
    )

    return _build_response(client=client, response=response)


def sync(
    iid_path: str,
    campaign_id: str,
    *,
    client: AuthenticatedClient,
    campaign_instance_id: str | Unset = UNSET,
    account_id: str,
    iid_header: str,
) -> CampaignVerdictsResult | Refusal | None:
    """Read who was taken for a machine, and what was heard next

     For each verdict of answering machine detection: on how many calls of the campaign it was given, and
    what was heard behind it, as far as an agent listened. A call counts under the first of next that is
    true of it. What speaks against the verdict is summed up as contradicted: it is how wrong verdicts
    are found in the field.

    Args:
        iid_path (str):
        campaign_id (str):
        campaign_instance_id (str | Unset):
        account_id (str):
        iid_header (str):

    Raises:
        errors.UnexpectedStatus: If the server returns an undocumented status code and Client.raise_on_unexpected_status is True.
        httpx.TimeoutException: If the request takes longer than Client.timeout.

    Returns:
        CampaignVerdictsResult | Refusal
    """

    return sync_detailed(
        iid_path=iid_path,
        campaign_id=campaign_id,
        client=client,
        campaign_instance_id=campaign_instance_id,
        account_id=account_id,
        iid_header=iid_header,
    ).parsed


async def asyncio_detailed(
    iid_path: str,
    campaign_id: str,
    *,
    client: AuthenticatedClient,
    campaign_instance_id: str | Unset = UNSET,
    account_id: str,
    iid_header: str,
) -> Response[CampaignVerdictsResult | Refusal]:
    """Read who was taken for a machine, and what was heard next

     For each verdict of answering machine detection: on how many calls of the campaign it was given, and
    what was heard behind it, as far as an agent listened. A call counts under the first of next that is
    true of it. What speaks against the verdict is summed up as contradicted: it is how wrong verdicts
    are found in the field.

    Args:
        iid_path (str):
        campaign_id (str):
        campaign_instance_id (str | Unset):
        account_id (str):
        iid_header (str):

    Raises:
        errors.UnexpectedStatus: If the server returns an undocumented status code and Client.raise_on_unexpected_status is True.
        httpx.TimeoutException: If the request takes longer than Client.timeout.

    Returns:
        Response[CampaignVerdictsResult | Refusal]
    """

    kwargs = _get_kwargs(
        iid_path=iid_path,
        campaign_id=campaign_id,
        campaign_instance_id=campaign_instance_id,
        account_id=account_id,
        iid_header=iid_header,
    )

    response = await client.get_async_httpx_client().request(**kwargs)

    return _build_response(client=client, response=response)


async def asyncio(
    iid_path: str,
    campaign_id: str,
    *,
    client: AuthenticatedClient,
    campaign_instance_id: str | Unset = UNSET,
    account_id: str,
    iid_header: str,
) -> CampaignVerdictsResult | Refusal | None:
    """Read who was taken for a machine, and what was heard next

     For each verdict of answering machine detection: on how many calls of the campaign it was given, and
    what was heard behind it, as far as an agent listened. A call counts under the first of next that is
    true of it. What speaks against the verdict is summed up as contradicted: it is how wrong verdicts
    are found in the field.

    Args:
        iid_path (str):
        campaign_id (str):
        campaign_instance_id (str | Unset):
        account_id (str):
        iid_header (str):

    Raises:
        errors.UnexpectedStatus: If the server returns an undocumented status code and Client.raise_on_unexpected_status is True.
        httpx.TimeoutException: If the request takes longer than Client.timeout.

    Returns:
        CampaignVerdictsResult | Refusal
    """

    return (
        await asyncio_detailed(
            iid_path=iid_path,
            campaign_id=campaign_id,
            client=client,
            campaign_instance_id=campaign_instance_id,
            account_id=account_id,
            iid_header=iid_header,
        )
    ).parsed
