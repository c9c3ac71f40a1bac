"""Twilio's library signs requests about calls, and reads the tokens and answers that come back; LiveKit's judges our
tokens and requests, and makes the webhooks."""

import base64
import hashlib
import json
import os
import time
import urllib.parse
import uuid
import xml.etree.ElementTree as xml

import world
from google.protobuf.json_format import MessageToJson, Parse
from livekit import api
from livekit.protocol.room import CreateRoomRequest, SendDataRequest
from twilio.jwt.access_token import AccessToken
from twilio.jwt.access_token.grants import VoiceGrant
from twilio.request_validator import RequestValidator
from twilio.twiml.voice_response import Connect, VoiceResponse

url, project = world.URL, world.PROJECT
peer, key, secret = os.environ["LIVEKIT_URL"], os.environ["LIVEKIT_API_KEY"], os.environ["LIVEKIT_API_SECRET"]


# Twilio: a number is connected, and its calls are signed by Twilio's own library.
number, account, token = "+1555" + str(uuid.uuid4().int)[:7], "AC" + uuid.uuid4().hex, "an auth token"
world.connect("twilio_voice", number, {"accountSid": account, "authToken": token, "apiKeySid": "SK1", "twimlAppSid": "AP1",
                                       "apiKeySecret": "a key's secret that is long enough for them"})


def twilio(path, signer=token, **form):
    form = {"AccountSid": account, "To": number, "From": "+15558675310", "Direction": "inbound", **form}
    return world.ask(url + path, urllib.parse.urlencode(form), Content_Type="application/x-www-form-urlencoded",
                     X_Twilio_Signature=RequestValidator(signer).compute_signature(url + path, form))


call = "CA" + uuid.uuid4().hex
status, answer = twilio("/api/v1/voice/connect", CallSid=call, CallStatus="ringing")
assert status == 200, answer
stream = xml.fromstring(answer).find("Connect/Stream")
theirs = VoiceResponse()
connect = Connect()
connect.stream(url=stream.get("url")).parameter(name="token", value=stream.find("Parameter").get("value"))
theirs.append(connect)
assert xml.canonicalize(answer) == xml.canonicalize(theirs.to_xml()), (answer, theirs.to_xml())
assert twilio("/api/v1/voice/connect", "another token", CallSid=call, CallStatus="ringing")[0] == 401
for word in ("busy", "completed"):
    other = "CA" + uuid.uuid4().hex
    assert twilio("/api/v1/voice/status", CallSid=other, CallStatus=word, SequenceNumber="2", CallDuration="4")[0] == 204
    shown = [i for i in world.parley(f"/api/v1/projects/{project}/interactions?limit=200")["interactions"]
             if i.get("providerCallId") == other]
    assert [i["providerStatus"] for i in shown] == [word], shown

agents = world.parley(f"/api/projects/{project}/agents")["agents"]
session = world.parley(f"/api/projects/{project}/sessions", {"agentId": agents[0]["id"]})["session"]["id"]
given = world.parley("/api/v1/voice/token", {"sessionId": session})
ours = AccessToken.from_jwt(given["token"], "a key's secret that is long enough for them")
wanted = AccessToken(account, "SK1", "a key's secret that is long enough for them", identity="s_" + session, grants=[
    VoiceGrant(incoming_allow=True, outgoing_application_sid="AP1")])
expected = AccessToken.from_jwt(wanted.to_jwt(), "a key's secret that is long enough for them")
assert ours.headers == expected.headers, (ours.headers, expected.headers)
assert ours.payload["grants"] == expected.payload["grants"], (ours.payload, expected.payload)
assert (ours.issuer, ours.subject) == (expected.issuer, expected.subject)

# LiveKit: our token is judged by its library, our requests are read as its messages, its webhooks are believed.
verifier = api.TokenVerifier(key, secret)
name = "s-" + uuid.uuid4().hex
room = world.parley("/api/v1/rtc/token", {"projectId": project, "sessionId": name, "agentName": "desk"})
claims = verifier.verify(room["token"])
assert claims.identity == room["identity"] == "s_" + name, claims
assert claims.video.room == room["roomName"] and claims.video.room_join, claims
assert claims.room_config.agents[0].agent_name == "desk", claims


def asked(method):
    """The requests of a method that our peer got, each with the claims of its token."""
    found = json.loads(world.ask(peer + "/asked")[1])
    return [(r["body"], verifier.verify(r["token"])) for r in found if r["path"] == "/twirp/livekit." + method]


[(made, by)] = [(made, by) for made, by in ((Parse(body, CreateRoomRequest()), by) for body, by in asked("RoomService/CreateRoom"))
                if made.name == room["roomName"]]  # others make rooms too
assert by.video.room_create, by
assert [(agent.agent_name, agent.metadata) for agent in made.agents] == [("desk", made.metadata)], made


def tells(event, signer=secret, **more):
    said = api.WebhookEvent(event=event, id="EV_" + uuid.uuid4().hex, created_at=int(time.time()), **more)
    said.room.name = room["roomName"]
    text = MessageToJson(said)
    total = base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()
    signed = api.AccessToken(key, signer).with_sha256(total).to_jwt()
    return world.ask(url + "/api/v1/channels/livekit/webhook", text, Content_Type="application/webhook+json", Authorization=signed)


guest = api.ParticipantInfo(identity="s_" + name, state=api.ParticipantInfo.State.ACTIVE)
robot = api.ParticipantInfo(identity="agent-1", kind=api.ParticipantInfo.Kind.AGENT)
assert tells("participant_joined", "another secret", participant=guest)[0] == 401
for event, who in (("room_started", None), ("participant_joined", robot), ("participant_joined", guest)):
    status, text = tells(event, participant=who)
    assert status == 200, (event, text)


def row():
    return [i for i in world.parley(f"/api/v1/projects/{project}/interactions?limit=200")["interactions"]
            if i.get("providerCallId") == room["roomName"]][0]


assert row()["status"] == "inProgress", row()
status, text = tells("room_finished")
assert status == 200 and row()["status"] == "completed", (text, row())
assert SendDataRequest.DESCRIPTOR.fields_by_name["nonce"]  # by which it knows our repeats
print("all answers were right")
