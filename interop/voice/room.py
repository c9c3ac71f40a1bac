"""LiveKit's own client joins a room as a person: our agent comes, is heard and hears, and reads what is written. What the
client cannot read of the server or of the agent, it does not take part in.

room.py SPOKEN.wav [webhooks]: with the word, the server of rooms sends its webhooks itself."""

import asyncio
import base64
import hashlib
import json
import os
import sys
import time
import uuid
import wave

import numpy
import world
from google.protobuf.json_format import MessageToJson
from livekit import api, rtc

project = world.PROJECT
key, secret = os.environ["LIVEKIT_API_KEY"], os.environ["LIVEKIT_API_SECRET"]
patience = 120


def tells(event, room, **more):
    """The webhook of LiveKit, by its own library, where its server is not there to send one."""
    if "webhooks" in sys.argv:
        return
    said = api.WebhookEvent(event=event, id="EV_" + uuid.uuid4().hex, created_at=int(time.time()), **more)
    said.room.name = room
    text = MessageToJson(said).encode()
    total = base64.b64encode(hashlib.sha256(text).digest()).decode()
    status, answer = world.ask(world.URL + "/api/v1/channels/livekit/webhook", text, Content_Type="application/webhook+json",
                               Authorization=api.AccessToken(key, secret).with_sha256(total).to_jwt())
    assert status == 200, (status, answer)


def row(room):
    return [i for i in world.parley(f"/api/v1/projects/{project}/interactions?limit=200")["interactions"]
            if i.get("providerCallId") == room][0]


async def until(what, true):
    """Waits for what must become true."""
    for _ in range(patience * 10):
        if found := await asyncio.to_thread(true):
            return found
        await asyncio.sleep(0.1)
    raise AssertionError("it did not become true: " + what)


async def main():
    given = world.parley("/api/v1/rtc/token", {"projectId": project, "sessionId": "s-" + uuid.uuid4().hex})
    name, session = given["roomName"], given["sessionId"]
    room, loud, agents, texts = rtc.Room(), [], [], []

    @room.on("track_subscribed")
    def _(track, publication, who):
        agents.append((who.kind, publication.mime_type, publication.source))

        async def listen():
            async for event in rtc.AudioStream(track, sample_rate=8000, num_channels=1):
                if numpy.abs(numpy.frombuffer(event.frame.data, numpy.int16).astype(int)).max() > 1000:
                    loud.append(1)
        asyncio.ensure_future(listen())

    @room.on("data_received")
    def _(packet):
        texts.append((packet.topic, json.loads(packet.data)))

    await room.connect(given["url"], given["token"])
    assert room.name == name, room.name
    source = rtc.AudioSource(rate := (spoken := wave.open(sys.argv[1])).getframerate(), 1)
    microphone = rtc.LocalAudioTrack.create_audio_track("microphone", source)
    await room.local_participant.publish_track(microphone, rtc.TrackPublishOptions(source=rtc.TrackSource.SOURCE_MICROPHONE))
    sound, size, speaks = spoken.readframes(spoken.getnframes()), rate // 50 * 2, asyncio.Event()

    async def speak():
        """Silence, until the person has something to say; then that, with pauses."""
        at = 0
        while True:
            frame = bytes(size)
            if speaks.is_set():
                at = (at + size) % (len(sound) + 150 * size)
                frame = sound[at:at + size] if at + size <= len(sound) else frame
            await source.capture_frame(rtc.AudioFrame(frame, rate, 1, size // 2))
    talking = asyncio.ensure_future(speak())

    await asyncio.to_thread(tells, "participant_joined", name, participant=api.ParticipantInfo(identity=given["identity"],
                            state=api.ParticipantInfo.State.ACTIVE))
    await until("the agent is in the room", lambda: agents)
    assert agents[0] == (rtc.ParticipantKind.PARTICIPANT_KIND_AGENT, "audio/PCMU", rtc.TrackSource.SOURCE_MICROPHONE), agents
    await until("the agent is heard", lambda: len(loud) > 20)
    await until("what it says is written, too", lambda: texts)
    lines = world.parley(f"/api/v1/sessions/{session}/transcripts")["messages"]
    assert texts[0][0] == "parley.text" and texts[0][1]["text"] == lines[0]["content"], (texts, lines)
    speaks.set()


    def said():
        return [m["content"] for m in world.parley(f"/api/v1/sessions/{session}/transcripts")["messages"] if m["role"] == "user"]
    await until("the person is heard", said)
    await room.local_participant.send_text(written := "I would rather write. " * 1000, topic="lk.chat")
    await until("what the person writes is read", lambda: written[:1000] in "".join(said()))
    talking.cancel()
    await room.disconnect()
    await asyncio.to_thread(tells, "room_finished", name)
    await until("the call is over", lambda: row(name)["status"] == "completed")
    print("both were heard")


asyncio.run(main())
