"""A conversation by Slack, with an app of Bolt beside ours: both get the same requests, and both answer by one API."""

import json
import re
import time
import urllib.parse
import uuid

import world
from slack_bolt import App, BoltRequest
from slack_sdk import WebClient
from slack_sdk.models.blocks import Block
from slack_sdk.signature import SignatureVerifier

SOME = uuid.uuid4().hex[:9].upper()
APP, TEAM, CHANNEL, PERSON, SECRET = "A" + SOME, "T" + SOME, "D" + SOME, "U" + SOME, "a signing secret of " + SOME
HOOK = f"{world.URL}/api/v1/channels/slack/webhook"

client = WebClient(token="xoxb-of-the-peer", base_url=f"{world.RECORDER}/slack/api/")
app = App(client=client, signing_secret=SECRET, process_before_response=True)
heard = []
app.event("message")(lambda event: heard.append(event["text"]))
app.action(re.compile("^choice-"))(lambda ack, action: (ack(), heard.append(action["selected_option"]["text"]["text"])))


def both(body, form=False, secret=SECRET, at=None, signed=None):
    """What each of the two answers to a request: ours, and the app of Bolt."""
    at = str(int(at or time.time()))
    headers = {"Content-Type": "application/x-www-form-urlencoded" if form else "application/json", "X-Slack-Request-Timestamp": at,
               "X-Slack-Signature": SignatureVerifier(secret).generate_signature(timestamp=at, body=signed or body)}
    theirs = app.dispatch(BoltRequest(body=body, headers=headers))
    ours, text = world.ask(HOOK, body, **headers)
    assert ours == theirs.status, (body, ours, theirs.status)
    return ours, text, theirs.body


def event(text, **more):
    ts = f"{time.time():.6f}"
    return json.dumps({"type": "event_callback", "api_app_id": APP, "team_id": TEAM, "event_id": "Ev" + ts, "event_time": int(time.time()),
                       "authorizations": [{"team_id": TEAM, "user_id": "U0RECORDER", "is_bot": True}],
                       "event": {"type": "message", "channel_type": "im", "channel": CHANNEL, "user": PERSON, "text": text, "ts": ts, **more}})


world.connect("slack", f"{APP}:{TEAM}", {"signingSecret": SECRET, "botToken": "xoxb-of-ours"})

# Both believe the same, and say the same of where the app is.
question = json.dumps({"type": "url_verification", "token": "old", "challenge": "3eZbrw1aB"})
status, ours, theirs = both(question)
assert status == 200 and ours == json.loads(theirs)["challenge"] == "3eZbrw1aB", (ours, theirs)
for wrong in ({"secret": "another"}, {"at": time.time() - 301}, {"at": time.time() + 330}, {"signed": "{}"}):
    assert both(event("Believe me"), **wrong)[0] == 401, wrong

# They hear the same, in the same order.
for text, said in (("Hello", 2), ("It is about my meter", 3)):
    assert both(event(text))[0] == 200
    message = world.sent("slack", CHANNEL, said)[-1]
for block in Block.parse_all(message["request"]["blocks"]):
    block.validate_json()
[menu] = [element for block in message["request"]["blocks"] for element in block.get("elements", [])]
press = {"type": "block_actions", "api_app_id": APP, "team": {"id": TEAM, "domain": "acme"}, "user": {"id": PERSON, "username": "bolt"},
         "channel": {"id": CHANNEL, "name": "directmessage"}, "message": {"ts": message["id"]}, "trigger_id": "1.2.3",
         "container": {"type": "message", "message_ts": message["id"], "channel_id": CHANNEL},
         "actions": [{"type": menu["type"], "action_id": menu["action_id"], "block_id": "b", "action_ts": f"{time.time():.6f}",
                      "selected_option": menu["options"][1]}]}
assert both(urllib.parse.urlencode({"payload": json.dumps(press)}), form=True)[0] == 200
messages = world.sent("slack", CHANNEL, 4)
assert heard == ["Hello", "It is about my meter", "Gas"], heard

# They answer by the same requests.
for n, m in enumerate(messages):
    client.chat_postMessage(**{"channel": CHANNEL, **m["request"]})
    theirs = world.sent("slack", CHANNEL, len(messages) + n + 1)[-1]
    assert theirs["request"] == m["request"], (theirs, m)
print(world.shown(messages))
