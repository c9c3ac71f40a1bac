from http import HTTPStatus
from typing import Any
from urllib.parse import quote

import httpx

from ... import errors
from ...client import AuthenticatedClient, Client
from ...models.campaign_request import CampaignRequest
from ...models.campaign_result import CampaignResult
from ...models.refusal import Refusal
from ...models.update_sms_campaign_campaign_type import UpdateSmsCampaignCampaignType
from ...types import UNSET, Response, Unset


def _get_kwargs(
    iid_path: str,
    campaign_id: str,
    *,
    body: CampaignRequest,
    campaign_type: UpdateSmsCampaignCampaignType,
    idempotency_key: str | Unset = UNSET,
    account_id: str,
    iid_header: str,
) -> dict[str, Any]:
    headers: dict[str, Any] = {}
    if not isinstance(idempotency_key, Unset):
        headers["Idempotency-Key"] = idempotency_key

    headers["accountId"] = account_id

    headers["iid"] = iid_header

    params: dict[str, Any] = {}

    json_campaign_type = campaign_type.value
    params["campaignType"] = json_campaign_type

    params = {k: v for k, v in params.items() if v is not UNSET and v is not None}

    _kwargs: dict[str, Any] = {
        "method": "put",
        "url": "/agentassist/api/v1/public/{iid_path}/campaign/{campaign_id}".format(
            iid_path=quote(str(iid_path), safe=""),
            campaign_id=quote(str(campaign_id), safe=""),
        ),
        "params": params,
    }

    _kwargs["json"] = body.to_dict()

    headers["Content-Type"] = "application/json"

    _kwargs["headers"] = headers
    return _kwargs


def _parse_response(
    *, client: AuthenticatedClient | Client, response: httpx.Response
) -> CampaignResult | Refusal | None:
    if response.status_code == 200:
        response_200 = CampaignResult.from_dict(response.json())

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
) -> Response[CampaignResult | Refusal]:
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
    body: CampaignRequest,
    campaign_type: UpdateSmsCampaignCampaignType,
    idempotency_key: str | Unset = UNSET,
    account_id: str,
    iid_header: str,
) -> Response[CampaignResult | Refusal]:
    """Update an SMS campaign

     Replaces all that it says, and makes the campaign Ready. An Active one is not changed (CONFLICT,
    with its campaignInstanceId): pause it first. The run of a Paused one ends with the update: it
    reaches nobody any more.

    Args:
        iid_path (str):
        campaign_id (str):
        campaign_type (UpdateSmsCampaignCampaignType):
        idempotency_key (str | Unset):
        account_id (str):
        iid_header (str):
        body (CampaignRequest):

    Raises:
        errors.UnexpectedStatus: If the server returns an undocumented status code and Client.raise_on_unexpected_status is True.
        httpx.TimeoutException: If the request takes longer than Client.timeout.

    Returns:
        Response[CampaignResult | Refusal]
    """

    kwargs = _get_kwargs(
        iid_path=iid_path,
        campaign_id=campaign_id,
        body=body,
        campaign_type=campaign_type,
        idempotency_key=idempotency_key,
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
    body: CampaignRequest,
    campaign_type: UpdateSmsCampaignCampaignType,
    idempotency_key: str | Unset = UNSET,
    account_id: str,
    iid_header: str,
) -> CampaignResult | Refusal | None:
    """Update an SMS campaign

     Replaces all that it says, and makes the campaign Ready. An Active one is not changed (CONFLICT,
    with its campaignInstanceId): pause it first. The run of a Paused one ends with the update: it
    reaches nobody any more.

    Args:
        iid_path (str):
        campaign_id (str):
        campaign_type (UpdateSmsCampaignCampaignType):
        idempotency_key (str | Unset):
        account_id (str):
        iid_header (str):
        body (CampaignRequest):

    Raises:
        errors.UnexpectedStatus: If the server returns an undocumented status code and Client.raise_on_unexpected_status is True.
        httpx.TimeoutException: If the request takes longer than Client.timeout.

    Returns:
        CampaignResult | Refusal
    """

    return sync_detailed(
        iid_path=iid_path,
        campaign_id=campaign_id,
        client=client,
        body=body,
        campaign_type=campaign_type,
        idempotency_key=idempotency_key,
        account_id=account_id,
        iid_header=iid_header,
    ).parsed


async def asyncio_detailed(
    iid_path: str,
    campaign_id: str,
    *,
    client: AuthenticatedClient,
    body: CampaignRequest,
    campaign_type: UpdateSmsCampaignCampaignType,
    idempotency_key: str | Unset = UNSET,
    account_id: str,
    iid_header: str,
) -> Response[CampaignResult | Refusal]:
    """Update an SMS campaign

     Replaces all that it says, and makes the campaign Ready. An Active one is not changed (CONFLICT,
    with its campaignInstanceId): pause it first. The run of a Paused one ends with the update: it
    reaches nobody any more.

    Args:
        iid_path (str):
        campaign_id (str):
        campaign_type (UpdateSmsCampaignCampaignType):
        idempotency_key (str | Unset):
        account_id (str):
        iid_header (str):
        body (CampaignRequest):

    Raises:
        errors.UnexpectedStatus: If the server returns an undocumented status code and Client.raise_on_unexpected_status is True.
        httpx.TimeoutException: If the request takes longer than Client.timeout.

    Returns:
        Response[CampaignResult | Refusal]
    """

    kwargs = _get_kwargs(
        iid_path=iid_path,
        campaign_id=campaign_id,
        body=body,
        campaign_type=campaign_type,
        idempotency_key=idempotency_key,
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
    body: CampaignRequest,
    campaign_type: UpdateSmsCampaignCampaignType,
    idempotency_key: str | Unset = UNSET,
    account_id: str,
    iid_header: str,
) -> CampaignResult | Refusal | None:
    """Update an SMS campaign

     Replaces all that it says, and makes the campaign Ready. An Active one is not changed (CONFLICT,
    with its campaignInstanceId): pause it first. The run of a Paused one ends with the update: it
    reaches nobody any more.

    Args:
        iid_path (str):
        campaign_id (str):
        campaign_type (UpdateSmsCampaignCampaignType):
        idempotency_key (str | Unset):
        account_id (str):
        iid_header (str):
        body (CampaignRequest):

    Raises:
        errors.UnexpectedStatus: If the server returns an undocumented status code and Client.raise_on_unexpected_status is True.
        httpx.TimeoutException: If the request takes longer than Client.timeout.

    Returns:
        CampaignResult | Refusal
    """

    return (
        await asyncio_detailed(
            iid_path=iid_path,
            campaign_id=campaign_id,
            client=client,
            body=body,
            campaign_type=campaign_type,
            idempotency_key=idempotency_key,
            account_id=account_id,
            iid_header=iid_header,
        )
    ).parsed
