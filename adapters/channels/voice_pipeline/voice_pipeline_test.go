package voicepipeline_test

import (
	"maps"
	"net/http"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/parley-platform/parley/adapters/channels/channelstest"
	voicepipeline "github.com/parley-platform/parley/adapters/channels/voice_pipeline"
	"github.com/parley-platform/parley/domain/channels"
)

var (
	connection = channels.Connection{ID: "cn-1", TenantID: "acme", Kind: "voice_pipeline", External: "shop",
		Credentials: channels.Credentials{voicepipeline.Token: "a-token-of-these-tests"}}
	another = channels.Connection{ID: "cn-2", TenantID: "other", Kind: "voice_pipeline", External: "another",
		Credentials: channels.Credentials{voicepipeline.Token: "another-token"}}
)

func frame(body string) channels.Request {
	return channels.Request{Method: http.MethodGet, URL: "https://parley.example.com/api/v1/channels/voice_pipeline/socket/shop",
		Header: map[string][]string{}, Body: []byte(body), Frame: true}
}

func sign(c channels.Connection, r channels.Request) channels.Request {
	r.Header = maps.Clone(r.Header)
	r.Header["Authorization"] = []string{"Bearer " + c.Credentials.Reveal(voicepipeline.Token)}
	return r
}

func one(e channels.Entry) channels.Received {
	e.ExternalID, e.Thread, e.ReplyTo = "p-1:"+e.ExternalID, "p-1", "p-1"
	if e.From == "" {
		e.From = "p-1"
	}
	return channels.Received{Entries: []channels.Entry{e}}
}

func ending(r channels.Received) channels.Received {
	r.Answer = channels.Answer{ContentType: "application/json",
		Body: []byte(`{"id":"3","sessionId":"p-1","state":"ended","texts":[],"type":"response"}`)}
	return r
}

func TestVoicePipeline(t *testing.T) {
	channelstest.Run(t, channelstest.Suite{
		New:        func(base string) (channelstest.Adapter, error) { return voicepipeline.New(base) },
		Connection: connection, Outbound: channels.Outbound{Reference: "m-1/0/0", To: "of-another", Text: "Good day to you, Ann."},
		Inbound: &channelstest.Inbound{Sign: sign, Unsigned: "what opens a socket shows a token", Another: another,
			Says: map[string]channelstest.Said{
				"it begins": {Request: frame(`{"type":"start","id":"1","sessionId":"p-1","caller":"+15550001","language":"de","sampleRate":16000}`),
					Want: one(channels.Entry{ExternalID: "1", From: "+15550001", Says: channels.Begins, Language: "de"})},
				"words": {Request: frame(`{"type":"text","id":"2","sessionId":"p-1","text":"hello"}`),
					Want: one(channels.Entry{ExternalID: "2", Text: "hello"})},
				"it ends": {Request: frame(`{"type":"end","id":"3","sessionId":"p-1"}`),
					Want: ending(one(channels.Entry{ExternalID: "3", Says: channels.Leaves}))},
			},
			Ignored: map[string]channels.Request{"echo": frame(`{"type":"response","id":"2","sessionId":"p-1"}`),
				"a ping": frame(`{"type":"ping"}`)},
			Extend: func(r channels.Request) channels.Request {
				r.Body = []byte(strings.Replace(string(r.Body), "{", `{"new":{"a":[1]},`, 1))
				return r
			}},
	})
}

// Given what cannot be taken, then it is named, and the socket goes on.
func TestWhatIsRefused(t *testing.T) {
	p, err := voicepipeline.New("")
	require.NoError(t, err)
	audio := frame("\x00\x01")
	audio.Binary = true
	for code, r := range map[string]channels.Request{"audio_not_available": audio, "unreadable": frame("x"),
		"invalid": frame(`{"type":"text","id":"2","sessionId":"p-1"}`)} {
		got, err := p.Parse(connection, r)
		require.NoError(t, err)
		require.Empty(t, got.Entries)
		require.Contains(t, string(got.Answer.Body), `"code":"`+code+`"`)
	}
	said := frame(`{"type":"text","id":"2","sessionId":"p-1","text":"x"}`)
	for state, want := range map[channels.ReplyState]string{channels.GoesOn: "continue", channels.Working: "working", channels.Ended: "ended",
		channels.Escalated: "escalated", channels.Unanswered: "failed"} {
		got := p.Answer(connection, said, channels.Reply{State: state, Said: []channels.Outbound{{Text: "Hi"}}})
		require.JSONEq(t, `{"type":"response","id":"2","sessionId":"p-1","texts":["Hi"],"state":"`+want+`"}`, string(got.Body))
		require.Equal(t, got, p.Later(connection, said, channels.Reply{State: state, Said: []channels.Outbound{{Text: "Hi"}}}))
	}
}
