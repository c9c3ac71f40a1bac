//go:build !apache

package node_test

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/coder/websocket"
	"github.com/stretchr/testify/require"

	"github.com/parley-platform/parley/adapters/voice"
)

// played is a message that Twilio was sent.
type played struct {
	Event     string
	StreamSid string
	Media     struct{ Payload []byte }
	Mark      struct{ Name string }
}

// plays reads what Twilio is to play until an event comes, and gives the sound and that event.
func (s stream) plays(t *testing.T, until string) (sound []byte, last played) {
	t.Helper()
	for {
		_, data, err := s.Read(t.Context())
		require.NoError(t, err)
		last = played{}
		require.NoError(t, json.Unmarshal(data, &last), string(data))
		require.Equal(t, "MZ1", last.StreamSid)
		if last.Event == "media" {
			require.Len(t, last.Media.Payload, voice.FrameSamples)
			sound = append(sound, last.Media.Payload...)
		}
		if last.Event == until {
			return sound, last
		}
	}
}

// buzz is somebody's voice, as far as a detector of voices goes: half a second of it, in mu-law.
func buzz() []byte {
	samples, sound := make([]int16, voice.SampleRate/2), make([]byte, voice.SampleRate/2)
	for i := range samples {
		samples[i] = int16(9_000 * (i/20%2*2 - 1))
	}
	voice.MuLaw.Encode(sound, samples)
	return sound
}

// Given a call of Twilio's, then the agent is heard, each text is followed by a mark, and what it says is
// cut off when the person begins to speak.
func TestATelephoneCallHasSound(t *testing.T) {
	w := newTalkWorld(t)
	p, call := newTwilioNumber(t, w), newCall()
	long := strings.TrimSpace(strings.Repeat("This takes a while to be said. ", 40))
	w.apply(t, "Agent", "a-desk", "desk", fields{"projectId": mainApp, "dslContent": strings.Replace(keyAgent, "Press your PIN.", long, 1)})
	w.deploy(t, "production", fields{"entryAgentName": "desk"})
	address, token := streamed(t, p.asks(t, w.a, voiceConnect, call, "ringing"))
	s := p.opens(t, w.a, address, call)
	s.starts(t, token)
	sound, mark := s.plays(t, "mark")
	require.Greater(t, len(sound), voice.SampleRate/4, "a greeting")
	samples := make([]int16, len(sound))
	voice.MuLaw.Decode(samples, sound)
	loudest := int16(0)
	for _, x := range samples {
		loudest = max(loudest, x)
	}
	require.Greater(t, loudest, int16(1_000))
	s.says(t, "mark", fields{"mark": fields{"name": mark.Mark.Name}})

	s.presses(t, "1#")
	_, _ = s.plays(t, "media")
	for heard := buzz(); len(heard) > 0; heard = heard[voice.FrameSamples:] {
		s.says(t, "media", fields{"media": fields{"track": "inbound", "payload": heard[:voice.FrameSamples]}})
	}
	sound, _ = s.plays(t, "clear")
	require.Less(t, len(sound), 20*voice.SampleRate, "of a minute")
	session := w.interactionOf(t, call, is("status", "inProgress"))["sessionId"].(string)
	require.Contains(t, w.told(t, session, 3)[2], "This takes a while")
	s.says(t, "media", fields{"media": fields{"track": "inbound", "payload": "no base64"}})
	s.presses(t, "1234#")
	require.Equal(t, websocket.StatusNormalClosure, s.closed(t), "the agent has ended the conversation")
	row := w.interactionOf(t, call, is("status", "completed"))
	require.Equal(t, "Bot-disconnected", row["reasonCode"])
	require.Subset(t, w.sounded(t, row["conversationId"]), []string{"said", "played", "digits-pressed"})
}

// sounded is the timeline of a call that is over, of which it is told how it sounded.
func (w talkWorld) sounded(t *testing.T, call any) (kinds []string) {
	t.Helper()
	var shown struct {
		Timeline []struct{ Kind string }
		Sound    struct {
			ReceivedPackets int
			Levels          struct{ Heard, Said []int }
		}
	}
	require.Eventually(t, func() bool {
		w.ask(t, "GET", fmt.Sprintf("/api/v1/projects/%s/interactions/%s", mainApp, call), nil).must(t, 200).into(t, &shown)
		return len(shown.Sound.Levels.Said) > 0
	}, patience, 20*time.Millisecond)
	require.Positive(t, shown.Sound.ReceivedPackets)
	require.NotEmpty(t, shown.Sound.Levels.Heard)
	require.NotZero(t, slices.Max(shown.Sound.Levels.Said))
	for _, e := range shown.Timeline {
		kinds = append(kinds, e.Kind)
	}
	return kinds
}
