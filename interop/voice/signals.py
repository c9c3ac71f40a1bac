"""The messages that stand beside the tests of adapters/livekit/signal are what LiveKit's own library writes. With --write it
writes them there."""

import json
import sys

from livekit.protocol import models, rtc

path, written = sys.argv[1], {}


def put(name, message):
    written[name] = message.SerializeToString(deterministic=True).hex()


# What the server says.
mic = models.TrackInfo(sid="TR_1", type="AUDIO", name="mic", source="MICROPHONE", mime_type="audio/opus", muted=True, mid="0",
    codecs=[models.SimulcastCodecInfo(mime_type="audio/opus")])
cam = models.TrackInfo(sid="TR_2", type="VIDEO", source="CAMERA", width=640, height=480)
ann = models.ParticipantInfo(sid="PA_2", identity="s_ann", state="ACTIVE", name="Ann", tracks=[mic, cam], joined_at=1764072000,
    attributes={"a":"b"})
bot = models.ParticipantInfo(sid="PA_3", identity="bot", state="JOINED", kind="AGENT")
j = rtc.JoinResponse(room=models.Room(sid="RM_1", name="t_a__p_b__s_c", empty_timeout=300),
    participant=models.ParticipantInfo(sid="PA_1", identity="agent-1", kind="AGENT"), other_participants=[ann, bot],
    server_version="1.9.0", ping_timeout=15, ping_interval=5, subscriber_primary=True, ice_servers=[rtc.ICEServer(urls=["stun:x"])])
put("join", rtc.SignalResponse(join=j))
put("offer", rtc.SignalResponse(offer=rtc.SessionDescription(type="offer", sdp="v=0\r\n", id=7)))
put("answer", rtc.SignalResponse(answer=rtc.SessionDescription(type="answer", sdp="v=0\r\n")))
put("trickle", rtc.SignalResponse(trickle=rtc.TrickleRequest(candidateInit='{"candidate":""}', target="SUBSCRIBER", final=True)))
gone = models.ParticipantInfo(sid="PA_2", identity="s_ann", state="DISCONNECTED", disconnect_reason="CLIENT_INITIATED")
put("update", rtc.SignalResponse(update=rtc.ParticipantUpdate(participants=[gone, bot])))
put("encrypted", rtc.SignalResponse(update=rtc.ParticipantUpdate(participants=[models.ParticipantInfo(sid="PA_4", identity="s_dan",
    tracks=[models.TrackInfo(sid="TR_4", type="AUDIO", source="MICROPHONE", encryption="GCM")])])))
put("published", rtc.SignalResponse(track_published=rtc.TrackPublishedResponse(cid="c-1", track=models.TrackInfo(sid="TR_9",
    type="AUDIO", source="MICROPHONE"))))
put("leave", rtc.SignalResponse(leave=rtc.LeaveRequest(reason="ROOM_DELETED", action="DISCONNECT")))
put("leave-again", rtc.SignalResponse(leave=rtc.LeaveRequest(can_reconnect=True, reason="SERVER_SHUTDOWN", action="RECONNECT")))
put("refused", rtc.SignalResponse(request_response=rtc.RequestResponse(request_id=3, reason="NOT_ALLOWED", message="no")))
put("done", rtc.SignalResponse(request_response=rtc.RequestResponse(request_id=3)))
put("token", rtc.SignalResponse(refresh_token="x.y.z"))
put("pong", rtc.SignalResponse(pong_resp=rtc.Pong(last_ping_timestamp=1, timestamp=2)))
put("speakers", rtc.SignalResponse(speakers_changed=rtc.SpeakersChanged(speakers=[models.SpeakerInfo(sid="PA_2", level=0.5,
    active=True)])))
# What we say.
put("to-offer", rtc.SignalRequest(offer=rtc.SessionDescription(type="offer", sdp="v=0\r\n", id=7)))
put("to-answer", rtc.SignalRequest(answer=rtc.SessionDescription(type="answer", sdp="v=0\r\n", id=8)))
put("to-add", rtc.SignalRequest(add_track=rtc.AddTrackRequest(cid="c-1", name="agent", type="AUDIO", source="MICROPHONE",
    disable_dtx=True, disable_red=True)))
put("to-subscribe", rtc.SignalRequest(subscription=rtc.UpdateSubscription(track_sids=["TR_1", "TR_3"], subscribe=True)))
put("to-leave", rtc.SignalRequest(leave=rtc.LeaveRequest(reason="CLIENT_INITIATED", action="DISCONNECT")))
put("to-ping", rtc.SignalRequest(ping_req=rtc.Ping(timestamp=1764072000123, rtt=40)))
# Packets of data.
sent = dict(participant_identity="s_ann", participant_sid="PA_2", sequence=7)
header = dict(stream_id="ST_1", timestamp=1764072000123, topic="lk.chat", mime_type="text/plain")
put("data-user", models.DataPacket(user=models.UserPacket(payload=b"Hello", topic="lk.chat", id="U_1", nonce=b"\x01\x02"), **sent))
put("data-user-old", models.DataPacket(kind="LOSSY", user=models.UserPacket(participant_sid="PA_2", participant_identity="s_ann",
    payload=b"{}", topic="lk-chat-topic")))
put("data-of-the-server", models.DataPacket(user=models.UserPacket(payload=b"{}", topic="parley.text")))
put("data-chat", models.DataPacket(chat_message=models.ChatMessage(id="C_1", timestamp=1764072000123, message="Hello"), **sent))
put("data-chat-edited", models.DataPacket(chat_message=models.ChatMessage(id="C_1", timestamp=1764072000123, message="Hi",
    edit_timestamp=1764072000999), **sent))
put("data-chat-deleted", models.DataPacket(chat_message=models.ChatMessage(id="C_1", deleted=True), **sent))
put("data-chat-generated", models.DataPacket(chat_message=models.ChatMessage(id="C_1", message="Hello", generated=True), **sent))
put("data-header", models.DataPacket(stream_header=models.DataStream.Header(total_length=5, attributes={"a": "b"},
    text_header=models.DataStream.TextHeader(attached_stream_ids=["ST_2"]), **header), **sent))
put("data-header-update", models.DataPacket(stream_header=models.DataStream.Header(
    text_header=models.DataStream.TextHeader(operation_type="UPDATE", version=1), **header), **sent))
put("data-header-generated", models.DataPacket(stream_header=models.DataStream.Header(
    text_header=models.DataStream.TextHeader(generated=True), **header), **sent))
put("data-header-file", models.DataPacket(stream_header=models.DataStream.Header(
    byte_header=models.DataStream.ByteHeader(name="a.png"), **header), **sent))
put("data-header-encrypted", models.DataPacket(stream_header=models.DataStream.Header(encryption_type="GCM",
    text_header=models.DataStream.TextHeader(), **header), **sent))
put("data-chunk", models.DataPacket(stream_chunk=models.DataStream.Chunk(stream_id="ST_1", chunk_index=3, content=b"Hel"), **sent))
put("data-trailer", models.DataPacket(stream_trailer=models.DataStream.Trailer(stream_id="ST_1", reason="aborted"), **sent))
put("data-digit", models.DataPacket(sip_dtmf=models.SipDTMF(code=1, digit="1"), **sent))
put("data-encrypted", models.DataPacket(encrypted_packet=models.EncryptedPacket(encryption_type="GCM", encrypted_value=b"x"), **sent))

if "--write" in sys.argv:
    with open(path, "w") as file:
        json.dump(written, file, indent=1, sort_keys=True)
        file.write("\n")
with open(path) as file:
    kept = json.load(file)
assert kept == written, {name for name in kept.keys() | written.keys() if kept.get(name) != written.get(name)}
print("they are what it writes")
