"""Conversations by Telegram, WhatsApp and SMS at once, all of whose platforms mockpost plays at one address: python several.py
ADDRESS. Each person says the same in their own app, and what mockpost has of it is printed by its channel."""

import base64
import hashlib
import hmac
import json
import sys
import time
import urllib.parse
import uuid
from concurrent.futures import ThreadPoolExecutor

import world

MOCKPOST = sys.argv[1]
SOME = uuid.uuid4().int
NUMBER, PERSON = f"+1555{SOME % 10**7:07}", f"+1666{SOME % 10**7:07}"
BOT, CHAT, PHONE = str(SOME % 10**9 + 10**9), SOME % 10**8 + 10**8, str(SOME % 10**9 + 10**9)
ACCOUNT, SECRET = "AC" + uuid.uuid4().hex, "a-word_of_the-peer"


def hook(kind, identifier):
    return f"{world.URL}/api/v1/channels/{kind}/webhook/{identifier}"


def telegram(n, text):
    return world.ask(hook("telegram", BOT), {"update_id": n, "message": {
        "message_id": n, "date": int(time.time()), "chat": {"id": CHAT, "type": "private"}, "text": text,
        "from": {"id": CHAT, "is_bot": False, "first_name": "Ann"}}}, X_Telegram_Bot_Api_Secret_Token=SECRET)


def whatsapp(n, text):
    who = PERSON[1:]
    body = json.dumps({"object": "whatsapp_business_account", "entry": [{"id": "1", "changes": [{"field": "messages", "value": {
        "messaging_product": "whatsapp", "metadata": {"display_phone_number": NUMBER[1:], "phone_number_id": PHONE},
        "contacts": [{"profile": {"name": "Ann"}, "wa_id": who}],
        "messages": [{"from": who, "id": f"wamid.{who}.{n}", "timestamp": str(int(time.time())), "type": "text", "text": {"body": text}}]}}]}]})
    signature = hmac.new(SECRET.encode(), body.encode(), hashlib.sha256).hexdigest()
    return world.ask(hook("whatsapp", PHONE), body, Content_Type="application/json", X_Hub_Signature_256="sha256=" + signature)


def sms(n, text):
    form = {"AccountSid": ACCOUNT, "MessageSid": f"SM{SOME % 10**30:031}{n}", "SmsStatus": "received", "From": PERSON, "To": NUMBER, "Body": text}
    address = hook("twilio_sms", urllib.parse.quote(NUMBER))
    signed = address + "".join(name + form[name] for name in sorted(form))
    signature = base64.b64encode(hmac.new(SECRET.encode(), signed.encode(), hashlib.sha1).digest()).decode()
    return world.ask(address, urllib.parse.urlencode(form), Content_Type="application/x-www-form-urlencoded", X_Twilio_Signature=signature)


def took(channel, to):
    """What mockpost has of our messages to somebody, the oldest first."""
    found = json.loads(world.ask(f"{MOCKPOST}/api/messages?channel={channel}&limit=500")[1])
    return [m for m in found[::-1] if m["direction"] == "outbound" and m["recipient"] == to]


def talks(channel, to, says):
    """A conversation: each message is brought twice, and the next one when all replies to the one before are there."""
    for n, (text, replies) in enumerate((("Hello", 2), ("It is about my meter", 3), ("Gas", 4)), 1):
        for _ in range(2):
            status, answer = says(n, text)
            assert status == 200, (channel, status, answer)
        world.awaited(replies, lambda: took(channel, to))
    return took(channel, to)


world.connect("telegram", BOT, {"botToken": BOT + ":AAF-peer_" + uuid.uuid4().hex, "secretToken": SECRET})
world.connect("whatsapp", PHONE, {"appSecret": SECRET, "verifyToken": "word", "accessToken": "hush"})
world.connect("twilio_sms", NUMBER, {"accountSid": ACCOUNT, "authToken": SECRET})
with ThreadPoolExecutor() as people:
    talked = {channel: people.submit(talks, channel, to, says) for channel, to, says in (
        ("telegram", str(CHAT), telegram), ("whatsapp", PERSON[1:], whatsapp), ("sms", PERSON, sms))}
talked = {channel: found.result() for channel, found in talked.items()}
asked = {channel: [json.loads(m["raw_payload"]) for m in found] for channel, found in talked.items()}
print(json.dumps({"telegram": [m["text"] for m in asked["telegram"]],
                  "whatsapp": [(m.get("text") or m["interactive"])["body"] for m in asked["whatsapp"]],
                  "sms": [m["Body"] for m in asked["sms"]]}))
