"""A conversation by Teams, judged by Microsoft's own library: its keys, its tokens and its connector are played here, at the
port that is named, with the keys that another run left where the second word says: the server asks for them once."""

import asyncio
import base64
import hmac
import json
import pathlib
import sys
import threading
import time
import urllib.parse
import uuid
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import jwt
import world
from botbuilder.schema import Activity, ChannelAccount, ConversationAccount, Entity
from botframework.connector import ConnectorClient
from botframework.connector.auth import ChannelValidation, MicrosoftAppCredentials, SimpleCredentialProvider
from cryptography.hazmat.primitives import serialization
from cryptography.hazmat.primitives.asymmetric import rsa

PORT = int(sys.argv[1])
HERE = f"http://127.0.0.1:{PORT}"
APP, TENANT, PASSWORD, ISSUER = str(uuid.uuid4()), str(uuid.uuid4()), "an app's password", "https://api.botframework.com"
PERSON, CONVERSATION, SERVICE = "29:1bolt", "a:1peer;of=teams", HERE + "/"



def kept(name):
    file = pathlib.Path(sys.argv[2] + name + ".pem")
    if not file.exists():
        file.write_bytes(rsa.generate_private_key(public_exponent=65537, key_size=2048).private_bytes(
            serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption()))
    return serialization.load_pem_private_key(file.read_bytes(), None)


keys = {name: kept(name) for name in ("teams", "webchat", "secret")}
asked, sent = [], []


def shown(name, endorses):
    number = json.loads(jwt.algorithms.RSAAlgorithm.to_jwk(keys[name].public_key()))
    return {"kty": "RSA", "use": "sig", "kid": name, "n": number["n"], "e": number["e"], "endorsements": endorses}


class Microsoft(BaseHTTPRequestHandler):
    def answer(self, status, body):
        data = json.dumps(body).encode()
        self.send_response(status)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(data)))
        self.end_headers()
        self.wfile.write(data)

    def do_GET(self):
        if self.path.endswith("/openidconfiguration"):
            return self.answer(200, {"issuer": ISSUER, "jwks_uri": HERE + "/v1/.well-known/keys",
                                     "id_token_signing_alg_values_supported": ["RS256"]})
        self.answer(200, {"keys": [shown("teams", ["msteams", "directline"]), shown("webchat", ["webchat"])]})

    def do_POST(self):
        body = self.rfile.read(int(self.headers["Content-Length"]))
        if self.path.endswith("/token"):
            asked.append((self.path, dict(urllib.parse.parse_qsl(body.decode()))))
            return self.answer(200, {"token_type": "Bearer", "expires_in": 3600, "access_token": "of-microsoft"})
        assert self.headers["Authorization"] == "Bearer of-microsoft", self.headers
        sent.append((urllib.parse.unquote(self.path), json.loads(body)))
        self.answer(201, {"id": str(len(sent))})

    def log_message(self, *_):
        pass


threading.Thread(target=ThreadingHTTPServer(("127.0.0.1", PORT), Microsoft).serve_forever, daemon=True).start()


def hears(path, said, credential):
    """Whether we take an activity that somebody brings with this credential."""
    return world.ask(world.URL + path, said, Authorization="Bearer " + credential)[0]


def replies(want):
    """What was sent to the conversation, once it is so many; what only shows that somebody writes is left out."""
    return world.awaited(want, lambda: [s for s in sent if s[1]["type"] == "message"])


world.connect("msteams", APP, {"appPassword": PASSWORD, "tenantId": TENANT})


def activity(text, **more):
    """A message as their library writes it."""
    at = time.strftime("%Y-%m-%dT%H:%M:%S.000Z", time.gmtime())
    said = Activity(type="message", id=uuid.uuid4().hex, service_url=SERVICE, channel_id="msteams", text=text, text_format="plain",
                    from_property=ChannelAccount(id=PERSON, name="Ann", aad_object_id=str(uuid.uuid4())),
                    recipient=ChannelAccount(id="28:" + APP, name="Acme"), conversation=ConversationAccount(
                        id=CONVERSATION, conversation_type="personal", tenant_id=TENANT), **more)
    return {**said.serialize(), "timestamp": at}


def token(kid="teams", key=None, algorithm="RS256", **claims):
    now = int(time.time())
    return jwt.encode({"iss": ISSUER, "aud": APP, "serviceurl": SERVICE, "nbf": now - 5, "exp": now + 3600, **claims},
                      None if algorithm == "none" else key or keys[kid], algorithm=algorithm, headers={"kid": kid})


def by_public_key():
    """A token whose secret is the public key, which no honest library writes."""
    pem = keys["teams"].public_key().public_bytes(serialization.Encoding.PEM, serialization.PublicFormat.SubjectPublicKeyInfo)
    said = base64.urlsafe_b64encode(b'{"alg":"HS256","typ":"JWT","kid":"teams"}').rstrip(b"=") + b"." + token().split(".")[1].encode()
    return (said + b"." + base64.urlsafe_b64encode(hmac.digest(pem, said, "sha256")).rstrip(b"=")).decode()


ChannelValidation.open_id_metadata_endpoint = HERE + "/v1/.well-known/openidconfiguration"


def believed(given):
    """Whether their library believes a token."""
    try:
        asyncio.run(ChannelValidation.authenticate_channel_token_with_service_url(
            f"Bearer {given}", SimpleCredentialProvider(APP, PASSWORD), SERVICE, "msteams"))
    except Exception:
        return False
    return True


late = int(time.time()) - 360
for given, good in {
        token(): True, token(exp=late + 120): True, token(aud=str(uuid.uuid4())): False, token(iss="https://sts.windows.net/x/"): False,
        token(exp=late): False, token(nbf=int(time.time()) + 360): False, token(serviceurl=SERVICE + "other"): False,
        token("webchat"): False, token(key=keys["secret"]): False, token("secret"): False, by_public_key(): False,
        token(algorithm="none"): False}.items():
    status = hears("/api/v1/channels/msteams/webhook", activity("" if good else "Believe me"), given)
    assert believed(given) == good and status == (200 if good else 403), (given, believed(given), status)

# What their library writes is heard: the bot's name is no word of it, and who joins says nothing.
hook = f"/api/v1/channels/msteams/webhook/{APP}"
hello = activity("<at>Acme</at> Hello &amp; good day", entities=[Entity(type="mention")])
hello["entities"][0].update(mentioned={"id": "28:" + APP, "name": "Acme"}, text="<at>Acme</at>")
for said in ({**activity(None), "type": "conversationUpdate", "membersAdded": [{"id": PERSON}]}, hello, hello):
    assert hears(hook, said, token()) == 200
replies(2)
assert hears(hook, activity("It is about my meter"), token()) == 200
card = replies(3)[2][1]["attachments"][0]
menu, [button] = card["content"]["body"][0], card["content"]["body"][1]["actions"]
press = {**activity(None), "value": {**button["data"], menu["id"]: menu["choices"][1]["value"]}}
assert hears(hook, press, token()) == 200
messages = replies(4)

# What we ask for is what their library asks for, and what we send is what their connector would send.
theirs = MicrosoftAppCredentials(APP, PASSWORD, TENANT)
login = urllib.parse.urlparse(theirs.oauth_endpoint).path + "/oauth2/v2.0/token"
assert asked == [(login, {"grant_type": "client_credentials", "client_id": APP, "client_secret": PASSWORD,
                          "scope": theirs.oauth_scope + "/.default"})], asked
theirs.get_access_token = lambda *_: "of-microsoft"
connector = ConnectorClient(theirs, base_url=SERVICE.rstrip("/"))
for path, ours in messages:
    connector.conversations.send_to_conversation(CONVERSATION, Activity.deserialize(ours))
    assert sent[-1] == (path, ours), (sent[-1], path, ours)
print(json.dumps([[m["text"], [c["title"] for a in m.get("attachments", []) for c in a["content"]["body"][0]["choices"]]]
                  for _, m in messages]))
