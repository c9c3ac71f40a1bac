package signal_test

import (
	"encoding/hex"
	"encoding/json"
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/parley-platform/parley/adapters/livekit/signal"
)

// written are messages as LiveKit's own library (livekit-protocol 1.1.29, of Python) has written them.
func written(t testing.TB) map[string][]byte {
	data, err := os.ReadFile("testdata/livekit-protocol-1.1.29.json")
	require.NoError(t, err)
	var texts map[string]string
	require.NoError(t, json.Unmarshal(data, &texts))
	out := map[string][]byte{}
	for name, text := range texts {
		out[name], err = hex.DecodeString(text)
		require.NoError(t, err)
	}
	return out
}

// What LiveKit writes is read; what says nothing to us is nothing.
func TestWhatTheServerSays(t *testing.T) {
	gone, bot := signal.Participant{SID: "PA_2", Identity: "s_ann", Gone: true},
		signal.Participant{SID: "PA_3", Identity: "bot", Kind: signal.Agent}
	all := written(t)
	for name, want := range map[string]signal.Response{
		"join": {Join: &signal.Join{Room: "t_a__p_b__s_c", Self: signal.Participant{SID: "PA_1", Identity: "agent-1", Kind: signal.Agent},
			Others: []signal.Participant{{SID: "PA_2", Identity: "s_ann", Tracks: []signal.Track{
				{SID: "TR_1", Audio: true, Muted: true, Source: signal.Microphone, MIME: "audio/opus"}, {SID: "TR_2", Source: 1}}}, bot},
			PingTimeout: 15, PingInterval: 5}},
		"offer":   {Offer: &signal.Description{Type: "offer", SDP: "v=0\r\n", ID: 7}},
		"answer":  {Answer: &signal.Description{Type: "answer", SDP: "v=0\r\n"}},
		"trickle": {Trickle: &signal.Trickle{Init: `{"candidate":""}`, Target: signal.Subscriber, Final: true}},
		"update":  {Update: []signal.Participant{gone, bot}},
		"encrypted": {Update: []signal.Participant{{SID: "PA_4", Identity: "s_dan", Tracks: []signal.Track{
			{SID: "TR_4", Audio: true, Source: signal.Microphone, Encrypted: true}}}}},
		"published":   {Published: &signal.Published{CID: "c-1", Track: signal.Track{SID: "TR_9", Audio: true, Source: signal.Microphone}}},
		"leave":       {Leave: &signal.Leave{Reason: signal.RoomDeleted}},
		"leave-again": {Leave: &signal.Leave{CanReconnect: true, Reason: signal.ServerShutdown, Action: signal.Reconnect}},
		"refused":     {Refused: &signal.Refused{Code: 2, Message: "no"}},
		"done":        {},
		"token":       {},
		"pong":        {},
		"speakers":    {},
	} {
		got, err := signal.Read(all[name])
		require.NoError(t, err, name)
		require.Equal(t, want, got, name)
	}
}

// What we write is, byte for byte, what LiveKit's own library writes.
func TestWhatWeSay(t *testing.T) {
	all := written(t)
	for name, r := range map[string]signal.Request{
		"to-offer":     {Offer: &signal.Description{Type: "offer", SDP: "v=0\r\n", ID: 7}},
		"to-answer":    {Answer: &signal.Description{Type: "answer", SDP: "v=0\r\n", ID: 8}},
		"to-add":       {AddTrack: &signal.AddTrack{CID: "c-1", Name: "agent", Source: signal.Microphone, DisableDTX: true, DisableRED: true}},
		"to-subscribe": {Subscription: &signal.Subscription{Tracks: []string{"TR_1", "TR_3"}, Subscribe: true}},
		"to-leave":     {Leave: &signal.Leave{Reason: signal.ClientInitiated}},
		"to-ping":      {Ping: &signal.Ping{Timestamp: 1764072000123, RoundTrip: 40}},
	} {
		require.Equal(t, hex.EncodeToString(all[name]), hex.EncodeToString(r.Marshal()), name)
	}
	require.Empty(t, signal.Request{}.Marshal())
}

// A message that ends too early is torn, wherever that is, or another message; nothing of it breaks us.
func TestMessagesThatAreTorn(t *testing.T) {
	for name, whole := range written(t) {
		if strings.HasPrefix(name, "data-") {
			continue
		}
		for i := range whole {
			_, _ = signal.Read(whole[:i])
		}
		_, err := signal.Read(append(whole[:len(whole):len(whole)], 0x0a, 0x7f, 1))
		require.ErrorContains(t, err, "torn", name)
	}
	for name, data := range map[string][]byte{"a member without a value": {0x0a}, "a length without an end": {0x0a, 0xff, 0xff, 0xff},
		"no tag": {0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff}, "a group without an end": {0x0b},
		"a member of a member": {0x0a, 0x02, 0x1a, 0x05}} {
		_, err := signal.Read(data)
		require.ErrorContains(t, err, "torn", name)
	}
	got, err := signal.Read([]byte{0x0d, 1, 2, 3, 4}) // 32 bits where a message was: of another protocol
	require.NoError(t, err)
	require.Equal(t, signal.Response{}, got)
}

func FuzzRead(f *testing.F) {
	for _, data := range written(f) {
		f.Add(data)
	}
	f.Fuzz(func(_ *testing.T, data []byte) { _, _ = signal.Read(data) })
}

func TestReasonsInWords(t *testing.T) {
	require.Equal(t, "the room was deleted", signal.RoomDeleted.String())
	require.Equal(t, "reason 99", signal.Reason(99).String())
	require.True(t, signal.Kind(0).Person())
	require.False(t, signal.Egress.Person())
	require.True(t, signal.Track{Audio: true}.Speech())
	require.False(t, signal.Track{Audio: true, Source: 4}.Speech())
	require.False(t, signal.Track{Audio: true, Encrypted: true}.Speech())
}
