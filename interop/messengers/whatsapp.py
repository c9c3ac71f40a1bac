"""A conversation by WhatsApp, held against pywa: it checks what we are sent, and sends the same."""

import hashlib
import hmac
import json
import logging
import sys

import world
from pywa import WhatsApp, utils
from pywa.types import Button, Message

NUMBER, SECRET, WORD, PERSON = sys.argv[1:5]
HOOK = f"{world.URL}/api/v1/channels/whatsapp/webhook"

logging.disable()  # what is refused here is meant to be
wa = WhatsApp(phone_id=NUMBER, token="hush", app_secret=SECRET, verify_token=WORD, api_version=25.0)
wa.api._session.base_url = f"{world.RECORDER}/whatsapp/v25.0"


for word in (WORD, "another"):
    theirs, status = wa.webhook_challenge_handler(word, "1158201444")
    ours = world.ask(f"{HOOK}/{NUMBER}?hub.mode=subscribe&hub.verify_token={word}&hub.challenge=1158201444")
    assert ours == (status, theirs) if status == 200 else ours[0] == 403, (ours, theirs, status)

update = {"object": "whatsapp_business_account", "entry": [{"id": "1", "changes": [{"field": "messages", "value": {
    "messaging_product": "whatsapp", "metadata": {"display_phone_number": "15550001111", "phone_number_id": NUMBER},
    "contacts": [{"profile": {"name": "Ann", "username": "ann"}, "user_id": PERSON}],
    "messages": [{"from_user_id": PERSON, "id": "wamid.peer", "timestamp": "1749416383", "type": "text", "text": {"body": "Hé"}}]}}]}]}
read = Message.from_update(wa, update)
assert (read.text, read.from_user.bsuid, read.from_user.name) == ("Hé", PERSON, "Ann")
body = json.dumps(update).encode()  # what is not ASCII is escaped, as Meta sends it
good = hmac.new(SECRET.encode(), body, hashlib.sha256).hexdigest()
for signature in (good, good[:-1] + "x", "0" * 64):
    believed = utils.webhook_updates_validator(SECRET, body, f"sha256={signature}")
    status, _ = world.ask(HOOK, body, Content_Type="application/json", X_Hub_Signature_256=f"sha256={signature}")
    assert status == (200 if believed else 401), signature

messages = world.sent("whatsapp", PERSON, 1)
for n, m in enumerate(messages):
    buttons = [Button(title=c["label"], callback_data=c["token"]) for c in m.get("choices", [])]
    wa.send_message(to=PERSON, text=m["text"], buttons=buttons or None, preview_url=False)
    theirs, ours = world.sent("whatsapp", PERSON, len(messages) + n + 1)[-1]["request"], m["request"]
    for call in (theirs, ours):
        call.pop("context", None)
        call.get("text", {}).pop("preview_url", None)  # what is not said is false
    assert theirs == ours, (theirs, ours)
print(world.shown(messages))
