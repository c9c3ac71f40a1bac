package voice_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"log/slog"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/parley-platform/parley/domain/calls"
	"github.com/parley-platform/parley/domain/sessions"
	"github.com/parley-platform/parley/handlers/reactors/voice"
)

// Given an hour in which nobody says anything, then the call goes on, nothing but signs of life is recorded of it, and who says
// something at last is answered.
func TestAnHourOfSilenceOnACall(t *testing.T) {
	onThePhone(t, func(w *dialerWorld, p *phone, _ *slowSpeaker) {
		w.pass(3 * time.Second)
		before := w.store.events("c1")
		w.pass(time.Hour)
		require.True(w, w.store.state("c1").Answered())
		for _, e := range w.store.events("c1")[len(before):] {
			require.IsType(w, calls.LeaseRenewed{}, e)
		}
		p.press("17#")
		w.pass(3 * time.Second)
		require.Contains(w, w.store.heardOn("c1"), "said 3 How many?")
		_ = p.HangUp(w.Context())
		w.pass(time.Second)
		q := w.store.quality(w.T, "c1")
		require.Greater(w, q.SilencePercent, 99.0)
		told, err := json.Marshal(q)
		require.NoError(w, err)
		require.Less(w, len(told), 16<<10, "its levels take no more room than those of any call")
	}, asAsked)
}

// Given the number of a card that is pressed, then no line of the log of this node has it, and on the streams it stands only where
// members are sealed for the person.
func TestTheNumberOfACard(t *testing.T) {
	const card = "4111111111111111"
	var said bytes.Buffer
	onThePhone(t, func(w *dialerWorld, p *phone, _ *slowSpeaker) {
		w.pass(3 * time.Second)
		p.press(card)
		w.pass(500 * time.Millisecond) // and hung up on before it was a message
		_ = p.HangUp(w.Context())
		w.pass(time.Second)
		require.Contains(w, w.store.heardOn("c1"), "pressed 1 "+card)
		of := map[string]bool{}
		for _, e := range append(w.store.events("c1"), w.store.sessionEvents("c1")...) {
			told, err := json.Marshal(e)
			require.NoError(w, err)
			if bytes.Contains(told, []byte(card)) {
				of[fmt.Sprintf("%T", e)] = true
			}
		}
		require.Subset(w, []string{fmt.Sprintf("%T", calls.DigitsPressed{}), fmt.Sprintf("%T", sessions.MessageReceived{})}, keysOf(of))
	}, asAsked, func(c *voice.DialerConfig) {
		c.Log = slog.New(slog.NewTextHandler(&said, &slog.HandlerOptions{Level: slog.LevelDebug}))
	})
	require.NotContains(t, said.String(), "41111111", "nor half of it")
}

func keysOf(of map[string]bool) (out []string) {
	for name := range of {
		out = append(out, name)
	}
	return out
}

// Given a clock that jumps in the middle of a call, forth or back, then the call goes on, and what happened is told in its own order
// and distance.
func TestAClockThatJumpsInACall(t *testing.T) {
	for name, jump := range map[string]time.Duration{"forth": time.Hour, "back": -time.Hour} {
		t.Run(name, func(t *testing.T) {
			var by atomic.Int64
			onThePhone(t, func(w *dialerWorld, p *phone, _ *slowSpeaker) {
				w.pass(3 * time.Second)
				by.Store(int64(jump))
				w.pass(30 * time.Second)
				p.press("17#")
				w.pass(3 * time.Second)
				require.True(w, w.store.state("c1").Answered())
				by.Store(0)
				_ = p.HangUp(w.Context())
				w.pass(time.Second)
				s := w.store.state("c1")
				require.Equal(w, calls.PhaseCompleted, s.Phase)
				require.InDelta(w, 36_000, s.DurationMs, 1_000)
				require.Contains(w, w.store.heardOn("c1"), "pressed 1 17")
				for _, e := range w.store.events("c1") {
					if d, is := e.(calls.DigitsPressed); is {
						require.WithinRange(w, d.At, s.AnsweredAt.Add(32*time.Second), s.EndedAt)
					}
				}
			}, asAsked, func(c *voice.DialerConfig) {
				c.Now = func() time.Time { return time.Now().Add(time.Duration(by.Load())) }
			})
		})
	}
}
