"""What the property-based tester cannot know of Parley: which credential an operation
takes, and which ids exist. Every request acts in the example workspace."""

import os
import pathlib
import sys

import schemathesis

sys.path.insert(0, str(pathlib.Path(__file__).parent))
import world

TOKEN = os.environ["PARLEY_TOKEN"]
KEY = os.environ["PARLEY_API_KEY"]

# Parameters whose values must be of something that exists, or nothing but 404 is seen.
# Names are compared without case.
KNOWN = {
    name.lower(): os.environ[env]
    for name, env in {
        "accountId": "ACCOUNT_ID",
        "orgId": "ORG_ID",
        "botId": "BOT_ID",
        "appId": "BOT_ID",
        "streamId": "BOT_ID",
        "projectId": "BOT_ID",
        "iid": "BOT_ID",
        "scopeId": "SCOPE_ID",
        "agentId": "AGENT_ID",
        "queueId": "QUEUE_ID",
        "campaignId": "SMS_CAMPAIGN_ID",
        "workflowId": "WORKFLOW_ID",
        "toolId": "TOOL_ID",
    }.items()
    if env in os.environ
} | {"dashboardname": "Operations", "widgetname": "Calls by status", "name": "acme-support",
     "sessionid": world.session(), "conversationid": world.conversation()}


def takes(case, scheme):
    security = case.operation.definition.raw.get("security") or []
    return any(scheme in alternative for alternative in security)


# Here and not where values are made up: not every phase of the tester asks hooks there.
# A header that is left out on purpose stays out.
@schemathesis.hook
def before_call(context, case, kwargs):
    for container in (case.path_parameters, case.headers):
        for name in list(container or {}):
            container[name] = KNOWN.get(name.lower(), container[name])
    if takes(case, "auth"):
        case.headers["auth"] = TOKEN
    elif takes(case, "apiKey"):
        case.headers["x-api-key"] = KEY


# null is no value: an optional member that is null is absent (docs/api-rules.md), which the document
# does not say of each. kinds.py sends null in every place.
@schemathesis.hook
def filter_body(context, body):
    return not (isinstance(body, dict) and any(value is None for value in body.values()))


@schemathesis.serializer("audio/wav", "audio/mpeg", "audio/ogg", "audio/flac", "audio/mp4", "audio/webm")
def audio(context, value):
    """Bytes as they are, and of anything else its text."""
    return value if isinstance(value, bytes) else str(value).encode()
