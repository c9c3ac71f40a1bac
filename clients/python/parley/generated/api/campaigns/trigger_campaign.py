from http import HTTPStatus
from typing import Any
from urllib.parse import quote

import httpx

from ... import errors
from ...client import AuthenticatedClient, Client
from ...models.refusal import Refusal
from ...models.trigger_campaign_campaign_type import TriggerCampaignCampaignType
from ...models.trigger_campaign_request import TriggerCampaignRequest
from ...models.trigger_campaign_result import TriggerCampaignResult
from ...models.trigger_campaign_trigger import TriggerCampaignTrigger
from ...types import UNSET, Response, Unset


def _get_kwargs(
    stream_id: str,
    campaign_id: str,
    *,
    body: TriggerCampaignRequest | Unset = UNSET,
    campaign_type: TriggerCampaignCampaignType,
    trigger: TriggerCampaignTrigger,
    idempotency_key: str | Unset = UNSET,
    account_id: str,
    iid: str,
) -> dict[str, Any]:
    headers: dict[str, Any] = {}
    if not isinstance(idempotency_key, Unset):
        headers["Idempotency-Key"] = idempotency_key

    headers["accountId"] = account_id

    headers["iid"] = iid

    params: dict[str, Any] = {}

    json_campaign_type = campaign_type.value
    params["campaignType"] = json_campaign_type

    json_trigger = trigger.value
    params["trigger"] = json_trigger

    params = {k: v for k, v in params.items() if v is not UNSET and v is not None}

    _kwargs: dict[str, Any] = {
        "method": "post",
        "url": "/api/v2/public/{stream_id}/campaign/trigger/{campaign_id}".format(
            stream_id=quote(str(stream_id), safe=""),
            campaign_id=quote(str(campaign_id), safe=""),
        ),
        "params": params,
    }

    if not isinstance(body, Unset):
        _kwargs["json"] = body.to_dict()

    headers["Content-Type"] = "application/json"

    _kwargs["headers"] = headers
    return _kwargs


def _parse_response(
    *, client: AuthenticatedClient | Client, response: httpx.Response
) -> Refusal | TriggerCampaignResult | None:
    if response.status_code == 200:
        response_200 = TriggerCampaignResult.from_dict(response.json())

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
) -> Response[Refusal | TriggerCampaignResult]:
    return Response(
        status_code=HTTPStatus(response.status_code),
        content=response.content,
        headers=response.headers,
        parsed=_parse_response(client=client, response=response),
    )


def sync_detailed(
    stream_id: str,
    campaign_id: str,
    *,
    client: AuthenticatedClient,
    body: TriggerCampaignRequest | Unset = UNSET,
    campaign_type: TriggerCampaignCampaignType,
    trigger: TriggerCampaignTrigger,
    idempotency_key: str | Unset = UNSET,
    account_id: str,
    iid: str,
) -> Response[Refusal | TriggerCampaignResult]:
    """Start, pause or resume a campaign

     play starts a Ready or Completed campaign with a new campaignInstanceId, and resumes a Paused one
    with its own; of an Active one it is refused (CONFLICT, with the campaignInstanceId that runs). A
    start outside of the calling hours waits for them. A campaign whose contact lists are all empty is
    not started, nor is one of sms whose experience flow says nothing. pause and resume, and
    campaignType=sms, are extensions.

    Args:
        stream_id (str):
        campaign_id (str):
        campaign_type (TriggerCampaignCampaignType):
        trigger (TriggerCampaignTrigger):
        idempotency_key (str | Unset):
        account_id (str):
        iid (str):
        body (TriggerCampaignRequest | Unset):

    Raises:
        errors.UnexpectedStatus: If the server returns an undocumented status code and Client.raise_on_unexpected_status is True.
        httpx.TimeoutException: If the request takes longer than Client.timeout.

    Returns:
        Response[Refusal | TriggerCampaignResult]
    """

    kwargs = _get_kwargs(
        stream_id=stream_id,
        campaign_id=campaign_id,
        body=body,
        campaign_type=campaign_type,
        trigger=trigger,
        idempotency_key=idempotency_key,
        account_id=account_id,
        iid=iid,
    )

    response = client.get_httpx_client().request(
        **kwargs,
    )

    return _build_response(client=client, response=response)


def sync(
    stream_id: str,
    campaign_id: str,
    *,
    client: AuthenticatedClient,
    body: TriggerCampaignRequest | Unset = UNSET,
    campaign_type: TriggerCampaignCampaignType,
    trigger: TriggerCampaignTrigger,
    idempotency_key: str | Unset = UNSET,
    account_id: str,
    iid: str,
) -> Refusal | TriggerCampaignResult | None:
    """Start, pause or resume a campaign

     play starts a Ready or Completed campaign with a new campaignInstanceId, and resumes a Paused one
    with its own; of an Active one it is refused (CONFLICT, with the campaignInstanceId that runs). A
    start outside of the calling hours waits for them. A campaign whose contact lists are all empty is
    not started, nor is one of sms whose experience flow says nothing. pause and resume, and
    campaignType=sms, are extensions.

    Args:
        stream_id (str):
        campaign_id (str):
        campaign_type (TriggerCampaignCampaignType):
        trigger (TriggerCampaignTrigger):
        idempotency_key (str | Unset):
        account_id (str):
        iid (str):
        body (TriggerCampaignRequest | Unset):

    Raises:
        errors.UnexpectedStatus: If the server returns an undocumented status code and Client.raise_on_unexpected_status is True.
        httpx.TimeoutException: If the request takes longer than Client.timeout.

    Returns:
        Refusal | TriggerCampaignResult
    """

    return sync_detailed(
        stream_id=stream_id,
        campaign_id=campaign_id,
        client=client,
        body=body,
        campaign_type=campaign_type,
        trigger=trigger,
        idempotency_key=idempotency_key,
        account_id=account_id,
        iid=iid,
    ).parsed


async def asyncio_detailed(
    stream_id: str,
    campaign_id: str,
    *,
    client: AuthenticatedClient,
    body: TriggerCampaignRequest | Unset = UNSET,
    campaign_type: TriggerCampaignCampaignType,
    trigger: TriggerCampaignTrigger,
    idempotency_key: str | Unset = UNSET,
    account_id: str,
    iid: str,
) -> Response[Refusal | TriggerCampaignResult]:
    """Start, pause or resume a campaign

     play starts a Ready or Completed campaign with a new campaignInstanceId, and resumes a Paused one
    with its own; of an Active one it is refused (CONFLICT, with the campaignInstanceId that runs). A
    start outside of the calling hours waits for them. A campaign whose contact lists are all empty is
    not started, nor is one of sms whose experience flow says nothing. pause and resume, and
    campaignType=sms, are extensions.

    Args:
        stream_id (str):
        campaign_id (str):
        campaign_type (TriggerCampaignCampaignType):
        trigger (TriggerCampaignTrigger):
        idempotency_key (str | Unset):
        account_id (str):
        iid (str):
        body (TriggerCampaignRequest | Unset):

    Raises:
        errors.UnexpectedStatus: If the server returns an undocumented status code and Client.raise_on_unexpected_status is True.
        httpx.TimeoutException: If the request takes longer than Client.timeout.

    Returns:
        Response[Refusal | TriggerCampaignResult]
    """

    kwargs = _get_kwargs(
        stream_id=stream_id,
        campaign_id=campaign_id,
        body=body,
        campaign_type=campaign_type,
        trigger=trigger,
        idempotency_key=idempotency_key,
        account_id=account_id,
        iid=iid,
    )

    response = await client.get_async_httpx_client().request(**kwargs)

    return _build_response(client=client, response=response)


async def asyncio(
    stream_id: str,
    campaign_id: str,
    *,
    client: AuthenticatedClient,
    body: TriggerCampaignRequest | Unset = UNSET,
    campaign_type: TriggerCampaignCampaignType,
    trigger: TriggerCampaignTrigger,
    idempotency_key: str | Unset = UNSET,
    account_id: str,
    iid: str,
) -> Refusal | TriggerCampaignResult | None:
    """Start, pause or resume a campaign

     play starts a Ready or Completed campaign with a new campaignInstanceId, and resumes a Paused one
    with its own; of an Active one it is refused (CONFLICT, with the campaignInstanceId that runs). A
    start outside of the calling hours waits for them. A campaign whose contact lists are all empty is
    not started, nor is one of sms whose experience flow says nothing. pause and resume, and
    campaignType=sms, are extensions.

    Args:
        stream_id (str):
        campaign_id (str):
        campaign_type (TriggerCampaignCampaignType):
        trigger (TriggerCampaignTrigger):
        idempotency_key (str | Unset):
        account_id (str):
        iid (str):
        body (TriggerCampaignRequest | Unset):

    Raises:
        errors.UnexpectedStatus: If the server returns an undocumented status code and Client.raise_on_unexpected_status is True.
        httpx.TimeoutException: If the request takes longer than Client.timeout.

    Returns:
        Refusal | TriggerCampaignResult
    """

    return (
        await asyncio_detailed(
            stream_id=stream_id,
            campaign_id=campaign_id,
            client=client,
            body=body,
            campaign_type=campaign_type,
            trigger=trigger,
            idempotency_key=idempotency_key,
            account_id=account_id,
            iid=iid,
        )
    ).parsed
