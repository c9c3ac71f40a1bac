from http import HTTPStatus
from typing import Any
from urllib.parse import quote

import httpx

from ... import errors
from ...client import AuthenticatedClient, Client
from ...models.campaign_run_result import CampaignRunResult
from ...models.refusal import Refusal
from ...types import Response


def _get_kwargs(
    iid_path: str,
    campaign_id: str,
    campaign_instance_id: str,
    *,
    account_id: str,
    iid_header: str,
) -> dict[str, Any]:
    headers: dict[str, Any] = {}
    headers["accountId"] = account_id

    headers["iid"] = iid_header

    _kwargs: dict[str, Any] = {
        "method": "get",
        "url": "/agentassist/api/v1/public/{iid_path}/campaign/{campaign_id}/runs/{campaign_instance_id}".format(
            iid_path=quote(str(iid_path), safe=""),
            campaign_id=quote(str(campaign_id), safe=""),
            campaign_instance_id=quote(str(campaign_instance_id), safe=""),
        ),
    }

    _kwargs["headers"] = headers
    return _kwargs


def _parse_response(
    *, client: AuthenticatedClient | Client, response: httpx.Response
) -> CampaignRunResult | Refusal | None:
    if response.status_code == 200:
        response_200 = CampaignRunResult.from_dict(response.json())

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
) -> Response[CampaignRunResult | Refusal]:
    return Response(
        status_code=HTTPStatus(response.status_code),
        content=response.content,
        headers=response.headers,
        parsed=_parse_response(client=client, response=response),
    )


def sync_detailed(
    iid_path: str,
    campaign_id: str,
    campaign_instance_id: str,
    *,
    client: AuthenticatedClient,
    account_id: str,
    iid_header: str,
) -> Response[CampaignRunResult | Refusal]:
    """Read how far a run of a campaign is

     What the run has done so far: how many contacts it has, how many were reached, and whether it goes
    on.

    Args:
        iid_path (str):
        campaign_id (str):
        campaign_instance_id (str):
        account_id (str):
        iid_header (str):

    Raises:
        errors.UnexpectedStatus: If the server returns an undocumented status code and Client.raise_on_unexpected_status is True.
        httpx.TimeoutException: If the request takes longer than Client.timeout.

    Returns:
        Response[CampaignRunResult | Refusal]
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
    campaign_instance_id: str,
    *,
    client: AuthenticatedClient,
    account_id: str,
    iid_header: str,
) -> CampaignRunResult | Refusal | None:
    """Read how far a run of a campaign is

     What the run has done so far: how many contacts it has, how many were reached, and whether it goes
    on.

    Args:
        iid_path (str):
        campaign_id (str):
        campaign_instance_id (str):
        account_id (str):
        iid_header (str):

    Raises:
        errors.UnexpectedStatus: If the server returns an undocumented status code and Client.raise_on_unexpected_status is True.
        httpx.TimeoutException: If the request takes longer than Client.timeout.

    Returns:
        CampaignRunResult | Refusal
    """

    return sync_detailed(
        iid_path=iid_path,
        campaign_id=campaign_id,
        campaign_instance_id=campaign_instance_id,
        client=client,
        account_id=account_id,
        iid_header=iid_header,
    ).parsed


async def asyncio_detailed(
    iid_path: str,
    campaign_id: str,
    campaign_instance_id: str,
    *,
    client: AuthenticatedClient,
    account_id: str,
    iid_header: str,
) -> Response[CampaignRunResult | Refusal]:
    """Read how far a run of a campaign is

     What the run has done so far: how many contacts it has, how many were reached, and whether it goes
    on.

    Args:
        iid_path (str):
        campaign_id (str):
        campaign_instance_id (str):
        account_id (str):
        iid_header (str):

    Raises:
        errors.UnexpectedStatus: If the server returns an undocumented status code and Client.raise_on_unexpected_status is True.
        httpx.TimeoutException: If the request takes longer than Client.timeout.

    Returns:
        Response[CampaignRunResult | Refusal]
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
    campaign_instance_id: str,
    *,
    client: AuthenticatedClient,
    account_id: str,
    iid_header: str,
) -> CampaignRunResult | Refusal | None:
    """Read how far a run of a campaign is

     What the run has done so far: how many contacts it has, how many were reached, and whether it goes
    on.

    Args:
        iid_path (str):
        campaign_id (str):
        campaign_instance_id (str):
        account_id (str):
        iid_header (str):

    Raises:
        errors.UnexpectedStatus: If the server returns an undocumented status code and Client.raise_on_unexpected_status is True.
        httpx.TimeoutException: If the request takes longer than Client.timeout.

    Returns:
        CampaignRunResult | Refusal
    """

    return (
        await asyncio_detailed(
            iid_path=iid_path,
            campaign_id=campaign_id,
            campaign_instance_id=campaign_instance_id,
            client=client,
            account_id=account_id,
            iid_header=iid_header,
        )
    ).parsed
