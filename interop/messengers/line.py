"""A conversation by LINE, judged by LINE's own SDK: it checks what we are sent and what we send."""

import base64
import hashlib
import hmac
import json
import sys

import world
from linebot.v3 import SignatureValidator, WebhookParser
from linebot.v3.messaging import ApiClient, Configuration, MessagingApi, PushMessageRequest, TextMessage
from linebot.v3.messaging.exceptions import ApiException

ACCOUNT, SECRET, PERSON = sys.argv[1:4]


body = json.dumps({"destination": ACCOUNT, "events": [{
    "type": "message", "mode": "active", "timestamp": 1462629479859, "webhookEventId": "01H", "replyToken": "tok",
    "deliveryContext": {"isRedelivery": False}, "source": {"type": "user", "userId": PERSON},
    "message": {"id": "325708", "type": "text", "text": "Hi", "quoteToken": "q"}}]})
good = base64.b64encode(hmac.new(SECRET.encode(), body.encode(), hashlib.sha256).digest()).decode()
event = WebhookParser(SECRET).parse(body, good)[0]
assert event.message.text == "Hi" and event.source.user_id == PERSON and not event.delivery_context.is_redelivery
for signature in (good, good[:-2] + "x=", "", base64.b64encode(b"0" * 32).decode()):
    believed = bool(signature) and SignatureValidator(SECRET).validate(body, signature)
    status, _ = world.ask(f"{world.URL}/api/v1/channels/line/webhook", body, X_Line_Signature=signature)
    assert status == (200 if believed else 401), signature

messages = world.sent("line", PERSON, 1)
for m in messages:
    read = PushMessageRequest.from_dict(m["request"])
    assert read.to == PERSON and read.to_dict()["messages"] == m["request"]["messages"], m

api = MessagingApi(ApiClient(Configuration(host=f"{world.RECORDER}/line", access_token="hush")))
push = PushMessageRequest(to=PERSON, messages=[TextMessage(text="by the SDK")])
taken = api.push_message(push, x_line_retry_key="123e4567-e89b-12d3-a456-426614174000")
try:
    api.push_message(push, x_line_retry_key="123e4567-e89b-12d3-a456-426614174000")
    raise SystemExit("a repeat was taken")
except ApiException as repeat:
    assert repeat.status == 409, repeat
assert taken.sent_messages[0].id == world.sent("line", PERSON, len(messages) + 1)[-1]["id"]
print(world.shown(messages))
