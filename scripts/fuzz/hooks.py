"""What the property-based tester cannot know of Parley: which credential an operation
takes, and which ids exist. Every request acts in the example workspace."""

import os

import schemathesis

TOKEN = os.environ["PARLEY_TOKEN"]
KEY = os.environ["PARLEY_API_KEY"]

# Parameters whose values must be of something that exists, or nothing but 404 is seen.
# Some requests keep what was made up, so that 404 is seen too.
IDS = {
    name: os.environ[env]
    for name, env in {
        "accountId": "ACCOUNT_ID",
        "orgId": "ORG_ID",
        "botId": "BOT_ID",
        "appId": "BOT_ID",
        "streamId": "BOT_ID",
        "projectId": "BOT_ID",
        "iid": "BOT_ID",
        "IID": "BOT_ID",
        "IId": "BOT_ID",
        "scopeId": "SCOPE_ID",
        "agentId": "AGENT_ID",
        "queueId": "QUEUE_ID",
        "campaignId": "SMS_CAMPAIGN_ID",
        "workflowId": "WORKFLOW_ID",
        "toolId": "TOOL_ID",
    }.items()
    if env in os.environ
}
NAMES = {"dashboardName": "Operations", "widgetName": "Calls by status", "name": "acme-support"}


def takes(case, scheme):
    security = case.operation.definition.raw.get("security") or []
    return any(scheme in alternative for alternative in security)


def fill(container):
    if container:
        for name in list(container):
            if name in IDS:
                container[name] = IDS[name]
            elif name in NAMES:
                container[name] = NAMES[name]
    return container


@schemathesis.hook
def map_path_parameters(context, path_parameters):
    return fill(path_parameters)


@schemathesis.hook
def before_call(context, case, kwargs):
    headers = case.headers
    if takes(case, "auth"):
        headers["auth"] = TOKEN
    elif takes(case, "apiKey"):
        headers["x-api-key"] = KEY
    for name in list(headers):
        if name.lower() == "accountid" and headers[name]:
            headers[name] = IDS["accountId"]
        if name.lower() == "iid" and headers[name]:
            headers[name] = IDS["botId"]


@schemathesis.serializer("audio/wav", "audio/mpeg", "audio/ogg", "audio/flac", "audio/mp4", "audio/webm")
def audio(context, value):
    """Bytes as they are, and of anything else its text."""
    return value if isinstance(value, bytes) else str(value).encode()
