"""What the scripts that talk with a running Parley have in common: how it is asked, how an agent comes to answer, and what
somebody was sent. Scripts say only what is their own: `import world`, which the tests put on the path."""

import json
import os
import time
import urllib.error
import urllib.request

URL, PROJECT = os.environ["PARLEY_URL"].rstrip("/"), os.environ["BOT_ID"]
RECORDER = os.environ["CHANNEL_RECORDER_URL"]  # which plays the platforms
MINUTE = 60


def ask(at, body=None, method=None, **headers):
    """Status and text of an answer. A body is bytes, a text, or what becomes JSON; in names of headers _ is -."""
    named = {name.replace("_", "-"): value for name, value in headers.items()}
    if not (body is None or isinstance(body, (bytes, str))):
        body, named = json.dumps(body), {"Content-Type": "application/json", **named}
    request = urllib.request.Request(at, body.encode() if isinstance(body, str) else body, named, method=method)
    try:
        with urllib.request.urlopen(request) as answer:
            return answer.status, answer.read().decode()
    except urllib.error.HTTPError as refused:
        with refused:
            return refused.code, refused.read().decode()


def parley(path, body=None):
    """What Parley answers to who may do everything in the project."""
    status, text = ask(URL + path, body, Authorization="Bearer " + os.environ["PARLEY_TOKEN"])
    assert status < 300, (path, status, text)
    return json.loads(text)


def deploy(sources, entry, label):
    """Has agents of these sources talk, and gives their deployment."""
    for name, source in sources.items():
        parley(f"/api/projects/{PROJECT}/agents", {"name": name, "dslContent": source})
    return parley(f"/api/projects/{PROJECT}/deployments", {"environment": "dev", "label": label, "entryAgentName": entry,
                                                           "agentVersionManifest": {name: "auto" for name in sources}})["deployment"]


def connect(kind, identifier, credentials, **more):
    """Has the example company's agents answer by a channel, whatever else is deployed meanwhile."""
    return parley(f"/api/projects/{PROJECT}/channel-connections", {
        "channelType": kind, "externalIdentifier": identifier, "deploymentId": os.environ["DEPLOYMENT_ID"], "credentials": credentials,
        **more})["connection"]


def awaited(want, look):
    """What there is, once it is so many."""
    for _ in range(10 * MINUTE):
        found = look()
        if len(found) >= want:
            return found
        time.sleep(0.1)
    raise SystemExit(f"of {want} there came {found}")


def sent(kind, to, want):
    """What was sent to somebody by a channel, the oldest first, once it is so many."""
    return awaited(want, lambda: json.loads(ask(f"{RECORDER}/messages?channelType={kind}&to={to}")[1])["messages"][::-1])


def shown(messages):
    """Texts, each with what can be chosen, as the tests compare them."""
    return json.dumps([[m["text"], [c["label"] for c in m.get("choices", [])]] for m in messages])
