"""What must have happened before some operations have anything to show: a call with its
session, and a conversation that a hook told of."""

import json
import os
import time
import urllib.request

URL, BOT = os.environ["PARLEY_URL"], os.environ["BOT_ID"]


def ask(path, body=None):
    data = None if body is None else json.dumps(body).encode()
    headers = {"auth": os.environ["PARLEY_TOKEN"], "Authorization": "Bearer " + os.environ["PARLEY_TOKEN"],
               "Content-Type": "application/json"}
    with urllib.request.urlopen(urllib.request.Request(URL + path, data, headers), timeout=20) as answer:
        return json.load(answer)


def session():
    """The session of a call that was made and answered."""
    ask(f"/api/1.1/public/bot/{BOT}/assist/dialout",
        {"botId": BOT, "target": "tel:+15550000001", "caller": os.environ["CALLER"]})
    for _ in range(200):
        for call in ask(f"/api/v1/projects/{BOT}/interactions")["interactions"]:
            if call.get("sessionId"):
                return call["sessionId"]
        time.sleep(0.1)
    raise SystemExit("fuzz: the call has no session after 20 s")


def conversation():
    ask(f"/agentassist/api/v1/hooks/{BOT}", {
        "conversationId": "fuzzed", "botId": BOT, "events": [{
            "name": "INTERNAL_TRANSFER_EVENT", "transfertype": "NA", "transition": "entry", "experience": "chat",
            "isExtAD": False, "participant": {"identity": os.environ["AGENT_ID"], "name": "Maria", "type": "agent"}}]})
    return "fuzzed"
