//go:build !apache

package node_test

import (
	"encoding/binary"
	"encoding/json"
	"strings"
	"testing"

	"github.com/coder/websocket"
	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"github.com/parley-platform/parley/adapters/voice"
)

// pipe is the socket of a pipeline.
type pipe struct{ *websocket.Conn }

func (p pipe) says(t *testing.T, message fields) {
	t.Helper()
	data, err := json.Marshal(message)
	require.NoError(t, err)
	require.NoError(t, p.Write(t.Context(), websocket.MessageText, data))
}

// hears reads until a message of a type comes, and gives it with the sound before it; what the node marks is
// said back.
func (p pipe) hears(t *testing.T, until string) (sound []byte, m map[string]any) {
	t.Helper()
	for {
		kind, data, err := p.Read(t.Context())
		require.NoError(t, err)
		if kind == websocket.MessageBinary {
			sound = append(sound, data...)
			continue
		}
		m = map[string]any{}
		require.NoError(t, json.Unmarshal(data, &m))
		if m["type"] == "mark" {
			p.says(t, fields{"type": "mark", "name": m["name"]})
		}
		if m["type"] == until {
			return sound, m
		}
	}
}

// Given a pipeline that brings sound, then its session is a call: the agent is heard, what the pipeline has
// understood is said to it, and it is cut off when the person begins to speak.
func TestAPipelineBringsSound(t *testing.T) {
	t.Parallel()
	w := newTalkWorld(t)
	long := strings.TrimSpace(strings.Repeat("This takes a while to be said. ", 40))
	w.apply(t, "Agent", "a-desk", "desk", fields{"projectId": mainApp, "dslContent": strings.Replace(keyAgent, "Press your PIN.", long, 1)})
	w.deploy(t, "production", fields{"entryAgentName": "desk"})
	door, session := "shop-"+uuid.NewString(), "p-"+uuid.NewString()
	w.connect(t, fields{"channelType": "voice_pipeline", "externalIdentifier": door, "credentials": fields{"token": "hush-token"}})
	opens := func(on *server) pipe {
		conn, _, err := websocket.Dial(t.Context(), "ws"+strings.TrimPrefix(on.URL(), "http")+"/api/v1/channels/voice_pipeline/socket/"+door+
			"?token=hush-token", &websocket.DialOptions{Subprotocols: []string{"pipeline.v1"}})
		require.NoError(t, err)
		t.Cleanup(func() { _ = conn.CloseNow() })
		return pipe{conn}
	}
	start := fields{"type": "start", "id": "1", "sessionId": session, "caller": "+15550007", "encoding": "pcm_s16le", "sampleRate": 8000}
	for _, wrong := range []fields{{"encoding": "opus"}, {"sampleRate": 16000}, {"sessionId": ""}, {"id": ""},
		{"caller": strings.Repeat("1", 257)}} {
		p := opens(w.a)
		p.says(t, start.and(wrong))
		_, m := p.hears(t, "error")
		require.Equal(t, "invalid", m["code"])
		_, _, err := p.Read(t.Context())
		require.Equal(t, websocket.StatusPolicyViolation, websocket.CloseStatus(err))
	}
	p := opens(w.b)
	p.says(t, start)
	_, ready := p.hears(t, "ready")
	sound, _ := p.hears(t, "mark")
	require.Greater(t, len(sound), voice.SampleRate/2, "a greeting")
	loudest := int16(0)
	for i := 0; i+1 < len(sound); i += 2 {
		loudest = max(loudest, int16(binary.LittleEndian.Uint16(sound[i:])))
	}
	require.Greater(t, loudest, int16(1_000))
	row := w.interactionOf(t, session, is("status", "inProgress"))
	require.Equal(t, []any{"voice_pipeline", "+15550007", door, ready["sessionId"]}, []any{row["provider"], row["userId"], row["centerId"],
		row["sessionId"]})

	again := opens(w.a)
	again.says(t, start)
	_, m := again.hears(t, "error")
	require.Equal(t, "taken", m["code"])

	p.says(t, fields{"type": "text", "text": "Hello"})
	samples := make([]int16, voice.SampleRate/2)
	voice.MuLaw.Decode(samples, buzz())
	speech := make([]byte, 0, 2*len(samples))
	for _, s := range samples {
		speech = binary.LittleEndian.AppendUint16(speech, uint16(s))
	}
	for kind := websocket.MessageText; kind != websocket.MessageBinary; {
		var err error
		kind, _, err = p.Read(t.Context())
		require.NoError(t, err)
	}
	for ; len(speech) > 0; speech = speech[320:] {
		require.NoError(t, p.Write(t.Context(), websocket.MessageBinary, speech[:320]))
	}
	p.hears(t, "interrupted")
	p.says(t, fields{"type": "end"})
	_, _, err := p.Read(t.Context())
	for err == nil {
		_, _, err = p.Read(t.Context())
	}
	require.Equal(t, websocket.StatusNormalClosure, websocket.CloseStatus(err))
	require.Equal(t, "Caller-disconnected", w.interactionOf(t, session, is("status", "completed"))["reasonCode"])
	require.Equal(t, "user: Hello", w.told(t, ready["sessionId"].(string), 3)[1])
}
