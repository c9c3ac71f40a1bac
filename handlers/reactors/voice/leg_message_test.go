package voice_test

import (
	"context"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/parley-platform/parley/domain/calls"
	"github.com/parley-platform/parley/domain/event"
	"github.com/parley-platform/parley/domain/voicemails"
	"github.com/parley-platform/parley/handlers/reactors/voice"
)

// told are what came of messages.
func (m *memoryCalls) told(callID string) (out []string) {
	for _, e := range m.events(callID) {
		switch e := e.(type) {
		case calls.MessageLeft:
			out = append(out, "left by "+string(e.By))
		case calls.MessageMissed:
			out = append(out, "missed: "+e.Reason)
		}
	}
	return out
}

// leaving runs a story with somebody who is asked for a message. It begins when the question is about to be heard.
func leaving(t *testing.T, messages voice.Messages, story func(*dialerWorld, *phone)) {
	t.Helper()
	onThePhone(t, func(w *dialerWorld, p *phone, _ *slowSpeaker) {
		w.pass(3 * time.Second)
		w.store.do(w.T, "c1", "", calls.TakeMessage{VoicemailID: "v-1", TransferID: "t-1", At: time.Now()}.Decide)
		w.pass(7*time.Second + 200*time.Millisecond) // the next sign of life
		story(w, p)
		w.pass(time.Second)
	}, asAsked, func(c *voice.DialerConfig) { c.Messages = messages })
}

// question is how long it takes to say it, and the beep.
var question = time.Duration(300*len(strings.Fields(voicemails.WordsIn("en").Before))+400) * time.Millisecond

// Given a call on which a message is wanted, when somebody speaks behind the beep, then that is kept, and no turn of the agent's; it ends
// with a silence, a key, or the call.
func TestACallerLeavesAMessage(t *testing.T) {
	for name, c := range map[string]struct {
		does func(w *dialerWorld, p *phone)
		want string
		ms   float64
	}{
		"and stops": {func(w *dialerWorld, p *phone) { p.speak(3 * time.Second); w.pass(12 * time.Second) }, "left by silence", 7_500},
		"and presses the key": {func(w *dialerWorld, p *phone) {
			p.speak(3 * time.Second)
			w.pass(2 * time.Second)
			p.press("#")
			w.pass(5 * time.Second)
		},
			"left by key", 2_000},
		"and hangs up": {func(w *dialerWorld, p *phone) {
			p.speak(3 * time.Second)
			w.pass(2 * time.Second)
			_ = p.HangUp(w.Context())
		},
			"left by hang-up", 2_000},
		"for ever":         {func(w *dialerWorld, p *phone) { p.speak(5 * time.Minute); w.pass(3 * time.Minute) }, "left by length", 120_000},
		"and says nothing": {func(w *dialerWorld, _ *phone) { w.pass(12 * time.Second) }, "missed: nothing was said", 0},
	} {
		t.Run(name, func(t *testing.T) {
			blobs := blobsInMemory{}
			leaving(t, blobs, func(w *dialerWorld, p *phone) {
				before := w.store.state("c1").Heard
				w.pass(question)
				c.does(w, p)
				w.pass(time.Second)
				require.Equal(w, []string{c.want}, w.store.told("c1"))
				require.Equal(w, before, w.store.state("c1").Heard, "the message is no turn")
				if c.ms == 0 {
					require.Empty(w, blobs)
					return
				}
				var left calls.MessageLeft
				for _, e := range w.store.events("c1") {
					if e, is := e.(calls.MessageLeft); is {
						left = e
					}
				}
				require.InDelta(w, c.ms, left.Ms, 1_500)
				file := blobs[left.Blob]
				require.Len(w, file, int(left.SizeBytes))
				require.Equal(w, left.Ms, voicemails.DurationMs(file))
				require.True(w, strings.HasPrefix(left.Blob, "voicemails/acme/v-1"))
				_, _, problem := voicemails.CheckAudio("audio/wav", file)
				require.Empty(w, problem)
			})
		})
	}
}

// Given a caller who says hello into the question, then it is said again, and what is kept is what they say behind the beep; a key leads
// to the beep, and so does who goes on speaking.
func TestWhoSpeaksIntoTheQuestionIsAskedAgain(t *testing.T) {
	for name, c := range map[string]struct {
		does func(w *dialerWorld, p *phone)
		ms   float64
	}{
		"a word": {func(w *dialerWorld, p *phone) {
			p.speak(600 * time.Millisecond)
			w.pass(time.Second + question + 200*time.Millisecond)
			p.speak(3 * time.Second)
		}, 7_500},
		"a key": {func(w *dialerWorld, p *phone) {
			p.press("#")
			w.pass(600 * time.Millisecond)
			p.speak(3 * time.Second)
		}, 7_500},
		"a word, and again": {func(w *dialerWorld, p *phone) {
			p.speak(600 * time.Millisecond)
			w.pass(3 * time.Second)
			p.speak(4 * time.Second)
		}, 8_500},
	} {
		t.Run(name, func(t *testing.T) {
			leaving(t, blobsInMemory{}, func(w *dialerWorld, p *phone) {
				w.pass(2 * time.Second)
				c.does(w, p)
				w.pass(12 * time.Second)
				require.Equal(w, []string{"left by silence"}, w.store.told("c1"))
				for _, e := range w.store.events("c1") {
					if e, is := e.(calls.MessageLeft); is {
						require.InDelta(w, c.ms, e.Ms, 1_000)
					}
				}
			})
		})
	}
}

// Given a message that is wanted, when the call ends before its leg has seen that, then it is told that there is none.
func TestAMessageThatNobodyWasAskedForIsMissed(t *testing.T) {
	for name, ends := range map[string]func(w *dialerWorld, p *phone){
		"the caller hangs up": func(w *dialerWorld, p *phone) { _ = p.HangUp(w.Context()) },
		"it is ended by command": func(w *dialerWorld, _ *phone) {
			w.store.do(w.T, "c1", "", calls.Complete{By: calls.ByBot, Cause: "asked for", At: time.Now()}.Decide)
		},
	} {
		t.Run(name, func(t *testing.T) {
			onThePhone(t, func(w *dialerWorld, p *phone, _ *slowSpeaker) {
				w.pass(3 * time.Second)
				w.store.do(w.T, "c1", "", calls.TakeMessage{VoicemailID: "v-1", TransferID: "t-1", At: time.Now()}.Decide)
				ends(w, p)
				w.pass(20 * time.Second)
				require.Equal(w, []string{"missed: the call was over before anybody was asked"}, w.store.told("c1"))
			}, asAsked, func(c *voice.DialerConfig) { c.Messages = blobsInMemory{} })
		})
	}
}

// Given a call that a page or a socket has brought, then its message is left as on a line of a trunk.
func TestACallerWhoWasBroughtLeavesAMessage(t *testing.T) {
	blobs := blobsInMemory{}
	inConversation(t, func(w *dialerWorld, tools *asked) {
		require.NoError(w, w.dialer.Close(w.Context()))
		by := &slowSpeaker{}
		w.dialer = w.newDialer(talking(w.store.store, tools, sources{"asker": asker}),
			func(c *voice.DialerConfig) { c.Speaker, c.Messages = by, blobs })
		w.bring("asker")
		p, done := ring(nil, by, true), make(chan error, 1)
		go func() { done <- w.dialer.Carry(w.Context(), carried, "MZ1", p) }()
		w.pass(3 * time.Second)
		w.store.do(w.T, carried, "", calls.TakeMessage{VoicemailID: "v-1", TransferID: "t-1", At: time.Now()}.Decide)
		w.pass(7*time.Second + question + 3*time.Second)
		p.speak(3 * time.Second)
		w.pass(12 * time.Second)
		require.Equal(w, []string{"left by silence"}, w.store.told(carried))
		require.NotEmpty(w, blobs[w.store.state(carried).MessageBlob])
		_ = p.HangUp(w.Context())
		w.pass(2 * time.Second)
		require.NoError(w, <-done)
	})
}

// Given a message that was left, then the agent hears the caller again.
func TestACallGoesOnBehindAMessage(t *testing.T) {
	leaving(t, blobsInMemory{}, func(w *dialerWorld, p *phone) {
		w.pass(question)
		p.speak(2 * time.Second)
		w.pass(15 * time.Second)
		require.Equal(w, []string{"left by silence"}, w.store.told("c1"))
		p.press("17#")
		w.pass(5 * time.Second)
		require.Contains(w, w.store.heardOn("c1"), "pressed 1 17")
		w.store.do(w.T, "c1", "", calls.TakeMessage{VoicemailID: "v-1", TransferID: "t-1", At: time.Now()}.Decide)
		w.pass(time.Minute)
		require.Len(w, w.store.told("c1"), 1, "once is enough")
	})
}

// Given a caller who leaves a message, or is asked for one, when a person comes onto the line, then the message is over: what the caller
// says from then on is said to the person alone.
func TestAMessageIsOverWhenAPersonComes(t *testing.T) {
	for name, c := range map[string]struct {
		does func(w *dialerWorld, p *phone)
		want string
	}{
		"while they speak": {func(w *dialerWorld, p *phone) { w.pass(question); p.speak(time.Minute); w.pass(3 * time.Second) },
			"left by person"},
		"before they speak":    {func(w *dialerWorld, _ *phone) { w.pass(question + time.Second) }, "missed: a person took the call"},
		"while they are asked": {func(w *dialerWorld, _ *phone) { w.pass(question / 2) }, "missed: a person took the call"},
	} {
		t.Run(name, func(t *testing.T) {
			onThePhone(t, func(w *dialerWorld, p *phone, _ *slowSpeaker) {
				person := &soundWire{wire: newWire()}
				w.carrier.legs = func() voice.Leg { return person }
				w.pass(3 * time.Second)
				w.store.do(w.T, "c1", "", calls.TakeMessage{VoicemailID: "v-1", TransferID: "t-1", At: time.Now()}.Decide)
				w.wanted("c1", calls.CallPerson{TransferID: "t-2", ClaimID: "t-2-1", Target: "sip:maria@pbx.example"})
				w.pass(7*time.Second + 200*time.Millisecond) // the next sign of life
				c.does(w, p)
				require.Empty(w, w.store.told("c1"), "it rings")
				person.facts <- fact(calls.FactEstablished)
				w.pass(time.Minute)
				require.Equal(w, []string{c.want}, w.store.told("c1"))
				require.Equal(w, []string{"200 OK"}, w.store.outcome("c1"))
				for _, e := range w.store.events("c1") {
					if e, is := e.(calls.MessageLeft); is {
						require.InDelta(w, 3_000, e.Ms, 500)
					}
				}
			}, asAsked, func(c *voice.DialerConfig) { c.Messages = blobsInMemory{} })
		})
	}
}

// Given a storage that is full when a message was left, then it is missed until there is room, and kept then, by the same process; of
// somebody who was erased meanwhile it is not.
func TestAMessageWaitsForItsStorage(t *testing.T) {
	for name, erased := range map[string]bool{"kept": false, "of somebody who was erased": true} {
		t.Run(name, func(t *testing.T) {
			blobs := &blobsThatFill{blobsInMemory: blobsInMemory{}}
			leaving(t, blobs, func(w *dialerWorld, p *phone) {
				ctx, stop := context.WithCancel(w.Context())
				done := make(chan struct{})
				go func() { defer close(done); w.dialer.KeepLeft(ctx) }()
				blobs.full.Store(true)
				w.pass(question)
				p.speak(3 * time.Second)
				w.pass(12 * time.Second)
				_ = p.HangUp(w.Context())
				w.pass(10 * time.Minute)
				want := []string{"missed: it could not be stored"}
				require.Equal(w, want, w.store.told("c1"))
				if erased {
					w.store.do(w.T, "c1", "", calls.Forget{At: time.Now()}.Decide)
					w.store.do(w.T, "c1", "", func(calls.State) (out []event.Payload, err error) { return []event.Payload{calls.Erased{}}, nil })
				}
				blobs.full.Store(false)
				w.pass(10 * time.Minute)
				if erased {
					require.Empty(w, blobs.blobsInMemory)
				} else {
					require.Equal(w, append(want, "left by silence"), w.store.told("c1"))
					require.NotEmpty(w, blobs.blobsInMemory[w.store.state("c1").MessageBlob])
				}
				stop()
				<-done
			})
		})
	}
}

// Given nobody who could keep a message, a callee who was erased, or a line without sound, then there is none.
func TestNoMessageIsLeft(t *testing.T) {
	leaving(t, nil, func(w *dialerWorld, _ *phone) {
		require.Equal(w, []string{"missed: this node keeps no messages"}, w.store.told("c1"))
	})
	blobs := blobsInMemory{}
	leaving(t, blobs, func(w *dialerWorld, p *phone) {
		w.pass(question)
		p.speak(2 * time.Second)
		w.pass(time.Second)
		w.store.do(w.T, "c1", "", calls.Forget{At: time.Now()}.Decide)
		w.store.do(w.T, "c1", "", func(calls.State) (out []event.Payload, err error) { return []event.Payload{calls.Erased{}}, nil })
		w.pass(20 * time.Second)
		require.Empty(w, w.store.told("c1"))
		require.Empty(w, blobs, "of a callee who was erased nothing is kept")
	})
	inVirtualTime(t, 1, func(w *dialerWorld) {
		w.place("c1")
		w.pass(6 * time.Second)
		w.store.do(w.T, "c1", "", calls.TakeMessage{VoicemailID: "v-1", TransferID: "t-1", At: time.Now()}.Decide)
		w.pass(time.Minute)
		require.Equal(w, []string{"missed: the carrier has no sound"}, w.store.told("c1"))
	})
}
