package voice_test

import (
	"errors"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/parley-platform/parley/domain/calls"
	"github.com/parley-platform/parley/eventstore/memory"
	"github.com/parley-platform/parley/handlers/reactors/voice"
)

// bells ring for who follows calls.
type bells struct {
	mu    sync.Mutex
	rings map[string]func(version int64)
}

func (b *bells) follow(stream string, ring func(version int64)) (func(), error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.rings == nil {
		b.rings = map[string]func(int64){}
	}
	b.rings[stream] = ring
	return func() {
		b.mu.Lock()
		defer b.mu.Unlock()
		delete(b.rings, stream)
	}, nil
}

// ring tells who follows a call of its newest event, and reports whether anybody does.
func (b *bells) ring(w *dialerWorld, callID string) bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	ring := b.rings[calls.Calls.Stream(callID)]
	if ring != nil {
		ring(int64(len(w.store.events(callID))))
	}
	return ring != nil
}

const atOnce = time.Millisecond // of virtual time; a sign of life takes 10 s

// following runs a story of an answered call whose leg is told of what others write.
func following(t *testing.T, story func(w *dialerWorld, b *bells, line, person *soundWire)) {
	t.Helper()
	b := &bells{}
	inVirtualTime(t, 1, func(w *dialerWorld) {
		line, person := &soundWire{wire: newWire()}, &soundWire{wire: newWire()}
		legs := []voice.Leg{line, person}
		w.carrier.legs = func() voice.Leg {
			next := legs[0]
			legs = legs[1:]
			return next
		}
		w.place("c1")
		line.facts <- calls.Fact{Kind: calls.FactAnswered, At: time.Now()}
		w.pass(time.Second)
		story(w, b, line, person)
		w.pass(time.Minute)
		require.False(w, b.ring(w, "c1"), "of a call that is over nobody is told")
	}, func(c *voice.DialerConfig) { c.Follow = b.follow })
}

// Given a person who is wanted on a call, whichever node writes that, then they are called at once, and not with the next sign of life.
func TestAPersonIsCalledAtOnce(t *testing.T) {
	following(t, func(w *dialerWorld, b *bells, line, person *soundWire) {
		w.wanted("c1", calls.CallPerson{TransferID: "t-1", ClaimID: "t-1-1", Target: "sip:maria@pbx.example"})
		require.True(w, b.ring(w, "c1"))
		w.pass(atOnce)
		require.Equal(w, 2, w.carrier.dials())
		person.facts <- fact(calls.FactEstablished)
		w.pass(time.Second)
		require.Same(w, person, line.joined())
		line.facts <- fact(calls.FactHungUp)
	})
}

// Given a message that is wanted on a call, then it is seen at once.
func TestAMessageIsAskedForAtOnce(t *testing.T) {
	following(t, func(w *dialerWorld, b *bells, line, _ *soundWire) {
		w.store.do(w.T, "c1", "", calls.TakeMessage{VoicemailID: "v-1", TransferID: "t-1", At: time.Now()}.Decide)
		require.True(w, b.ring(w, "c1"))
		w.pass(atOnce)
		require.Equal(w, []string{"missed: the carrier has no sound"}, w.store.told("c1"))
		line.facts <- fact(calls.FactHungUp)
	})
}

// Given a person on the line of a call, or whose telephone rings, when their transfer is over, then they are hung up at once, and the call
// goes on: what is said then is heard by who called, and another person may come.
func TestAPersonIsHungUpWhenTheirTransferIsOver(t *testing.T) {
	for name, talk := range map[string]bool{"they talk": true, "it rings": false} {
		t.Run(name, func(t *testing.T) {
			following(t, func(w *dialerWorld, b *bells, line, person *soundWire) {
				w.wanted("c1", calls.CallPerson{TransferID: "t-1", ClaimID: "t-1-1", Target: "sip:maria@pbx.example"})
				require.True(w, b.ring(w, "c1"))
				w.pass(atOnce)
				var want []string
				if talk {
					person.facts <- fact(calls.FactEstablished)
					w.pass(time.Second)
					require.Same(w, person, line.joined())
					want = []string{"200 OK"}
				}
				w.store.do(w.T, "c1", "", calls.FreePerson{TransferID: "t-1", At: time.Now()}.Decide)
				require.True(w, b.ring(w, "c1"))
				w.pass(atOnce)
				require.Equal(w, 1, person.hungUp)
				person.facts <- fact(calls.FactHungUp) // as a leg says that was hung up
				w.pass(time.Minute)
				require.Equal(w, []any{want, 0, 1}, []any{w.store.outcome("c1"), line.hungUp, w.dialer.Legs()}, "the call goes on")
				line.facts <- fact(calls.FactHungUp)
			})
		})
	}
}

// Given a call that somebody else ends, or takes over, then its leg is hung up, or left, at once.
func TestALegEndsAtOnceWithItsCall(t *testing.T) {
	following(t, func(w *dialerWorld, b *bells, line, _ *soundWire) {
		w.store.do(w.T, "c1", "", calls.Complete{By: calls.ByBot, Cause: "asked for", At: time.Now()}.Decide)
		require.True(w, b.ring(w, "c1"))
		w.pass(atOnce)
		require.Equal(w, []int{1, 0}, []int{line.hungUp, w.dialer.Legs()})
	})
	following(t, func(w *dialerWorld, b *bells, line, _ *soundWire) {
		w.store.do(w.T, "c1", "", calls.EstablishLeg{Dialog: dialog, At: time.Now()}.Decide)
		w.store.do(w.T, "c1", "", calls.LetGo{At: time.Now()}.Decide)
		w.store.do(w.T, "c1", "", calls.Adopt{Try: "another", Node: "n2", At: time.Now(), LeaseUntil: time.Now().Add(time.Hour)}.Decide)
		require.True(w, b.ring(w, "c1"))
		w.pass(atOnce)
		require.Zero(w, w.dialer.Legs())
	})
}

// Given what a leg writes itself, then that is not read for it; and what cannot be read is seen with the next sign of life.
func TestALegReadsWhatOthersWrite(t *testing.T) {
	following(t, func(w *dialerWorld, b *bells, line, _ *soundWire) {
		var reads atomic.Int64
		w.store.Fail(memory.Faults{Read: func(string) error { reads.Add(1); return errors.New("the index is away") }})
		require.True(w, b.ring(w, "c1"))
		w.pass(atOnce)
		require.Zero(w, reads.Load())
		w.wanted("c1", calls.CallPerson{TransferID: "t-1", ClaimID: "t-1-1", Target: "sip:maria@pbx.example"})
		require.True(w, b.ring(w, "c1"))
		w.pass(atOnce)
		require.Equal(w, []any{int64(1), 1}, []any{reads.Load(), w.carrier.dials()})
		w.store.Fail(memory.Faults{})
		w.pass(11 * time.Second)
		require.Equal(w, 2, w.carrier.dials())
		line.facts <- fact(calls.FactHungUp)
	})
}
