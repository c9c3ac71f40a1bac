package voice_test

import (
	"context"
	"fmt"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/parley-platform/parley/domain/calls"
	"github.com/parley-platform/parley/handlers/reactors/voice"
)

// soundWire is a line whose sound can be joined with another's.
type soundWire struct {
	*wire
	said []string
	with atomic.Value
}

func (s *soundWire) Join(other any) error {
	s.with.Store(other)
	return nil
}

// joined is whose sound it is joined with.
func (s *soundWire) joined() any { return s.with.Load() }

func (s *soundWire) Say(_ context.Context, text, _ string) error {
	s.said = append(s.said, text)
	return nil
}

// wants places a call over the first of some legs, whose wire answers, and then has somebody wanted on it, who is
// called over the second.
func (w *dialerWorld) wants(line *wire, target string, legs ...voice.Leg) {
	w.carrier.legs = func() voice.Leg {
		next := legs[0]
		legs = legs[1:]
		return next
	}
	w.place("c1")
	line.facts <- calls.Fact{Kind: calls.FactAnswered, At: time.Now()}
	w.pass(time.Second)
	w.store.do(w.T, "c1", "", calls.CallPerson{TransferID: "t-1", ClaimID: "t-1-1", Target: target, Summary: "Wants to pay.",
		At: time.Now()}.Decide)
	w.pass(11 * time.Second) // the next sign of life
}

// transferring runs a story of a call in which people talk, and of the telephone of a person.
func transferring(t *testing.T, story func(w *dialerWorld, line, person *soundWire)) {
	inVirtualTime(t, 1, func(w *dialerWorld) {
		line, person := &soundWire{wire: newWire()}, &soundWire{wire: newWire()}
		w.wants(line.wire, "sip:maria@pbx.example", line, person)
		require.Equal(w, 2, w.carrier.dials())
		require.Equal(w, "sip:maria@pbx.example", w.carrier.dialed[1].Target)
		story(w, line, person)
	})
}

// outcome is what came of the transfers of a call, and how it ended.
func (m *memoryCalls) outcome(callID string) (lines []string) {
	for _, e := range m.events(callID) {
		switch e := e.(type) {
		case calls.LegTransferred:
			lines = append(lines, strings.TrimSpace(e.Reason+" "+string(e.By)))
		case calls.Completed:
			lines = append(lines, fmt.Sprint(e.ReasonCode, ": ", e.Cause))
		}
	}
	return lines
}

func fact(kind calls.FactKind) calls.Fact {
	return calls.Fact{Kind: kind, At: time.Now(), Dialog: &dialog}
}

func TestAPersonTakesACall(t *testing.T) {
	transferring(t, func(w *dialerWorld, line, person *soundWire) {
		person.facts <- fact(calls.FactAnswered)
		person.facts <- fact(calls.FactEstablished)
		w.pass(time.Second)
		require.Equal(w, []any{[]string{"Wants to pay."}, person}, []any{person.said, line.joined()})
		require.Equal(w, []string{"200 OK"}, w.store.outcome("c1"))
		w.pass(time.Minute)
		person.facts <- fact(calls.FactHungUp)
		w.pass(time.Second)
		require.Equal(w, []string{"200 OK", "Bot-disconnected: the person hung up"}, w.store.outcome("c1"))
		require.Equal(w, 1, line.hungUp)
	})
}

// Somebody who is given the session of a call that rings is called when it is answered.
func TestAPersonWaitsForTheAnswer(t *testing.T) {
	inVirtualTime(t, 1, func(w *dialerWorld) {
		line, person := &soundWire{wire: newWire()}, &soundWire{wire: newWire()}
		legs := []voice.Leg{line, person}
		w.carrier.legs = func() voice.Leg {
			next := legs[0]
			legs = legs[1:]
			return next
		}
		w.place("c1")
		line.facts <- calls.Fact{Kind: calls.FactRinging, At: time.Now()}
		w.store.do(w.T, "c1", "", calls.CallPerson{TransferID: "t-1", ClaimID: "t-1-1", Target: "sip:maria@pbx.example",
			At: time.Now()}.Decide)
		w.pass(time.Minute / 2)
		require.Equal(w, 1, w.carrier.dials())
		line.facts <- calls.Fact{Kind: calls.FactAnswered, At: time.Now()}
		w.pass(time.Second)
		require.Equal(w, 2, w.carrier.dials())
		person.facts <- fact(calls.FactEstablished)
		w.pass(time.Second)
		person.facts <- fact(calls.FactHungUp)
		w.pass(time.Second)
		require.Equal(w, []string{"200 OK", "Bot-disconnected: the person hung up"}, w.store.outcome("c1"))
	})
}

// The caller hangs up: the person is hung up, whether they talk or it still rings.
func TestACallerDoesNotWaitForThePerson(t *testing.T) {
	for _, talk := range []bool{true, false} {
		transferring(t, func(w *dialerWorld, line, person *soundWire) {
			if talk {
				person.facts <- fact(calls.FactEstablished)
				w.pass(time.Second)
			}
			line.facts <- fact(calls.FactHungUp)
			w.pass(time.Second)
			require.Equal(w, 1, person.hungUp)
			require.Equal(w, calls.ReasonCallerDisconnected, w.store.state("c1").ReasonCode)
		})
	}
}

// A person who does not take the call leaves it as it was.
func TestAPersonDoesNotTakeACall(t *testing.T) {
	for want, does := range map[string]func(w *dialerWorld, person *soundWire){
		"486 Busy Here": func(w *dialerWorld, person *soundWire) {
			person.facts <- calls.Fact{Kind: calls.FactRejected, At: time.Now(), Code: 486, Phrase: "Busy Here"}
		},
		"487 Request Terminated": func(w *dialerWorld, _ *soundWire) { w.pass(31 * time.Second) },
	} {
		transferring(t, func(w *dialerWorld, line, person *soundWire) {
			does(w, person)
			w.pass(time.Second)
			require.Equal(w, []string{want}, w.store.outcome("c1"))
			require.True(w, w.store.state("c1").Answered())
			require.Nil(w, line.joined())
			line.facts <- fact(calls.FactHungUp)
		})
	}
}

// wanted has somebody wanted on a call.
func (w *dialerWorld) wanted(callID string, who calls.CallPerson) {
	w.Helper()
	who.At = time.Now()
	w.store.do(w.T, callID, "", who.Decide)
}

// Given a call that goes from one person to another, then the first is hung up, whether they talk or it still rings, and that ends nothing:
// the second has the call.
func TestACallGoesFromOnePersonToAnother(t *testing.T) {
	for name, talk := range map[string]bool{"they talk": true, "it rings": false} {
		t.Run(name, func(t *testing.T) {
			inVirtualTime(t, 1, func(w *dialerWorld) {
				line, first, second := &soundWire{wire: newWire()}, &soundWire{wire: newWire()}, &soundWire{wire: newWire()}
				w.wants(line.wire, "sip:maria@pbx.example", line, first, second)
				var want []string
				if talk {
					first.facts <- fact(calls.FactEstablished)
					w.pass(time.Second)
					want = []string{"200 OK"}
				}
				w.wanted("c1", calls.CallPerson{TransferID: "t-2", ClaimID: "t-2-1", Target: "sip:ben@pbx.example"})
				w.pass(11 * time.Second)
				require.Equal(w, []int{1, 3}, []int{first.hungUp, w.carrier.dials()})
				require.Equal(w, want, w.store.outcome("c1"))
				second.facts <- fact(calls.FactEstablished)
				w.pass(time.Minute)
				require.Equal(w, any(second), line.joined())
				second.facts <- fact(calls.FactHungUp)
				w.pass(time.Second)
				require.Equal(w, append(want, "200 OK", "Bot-disconnected: the person hung up"), w.store.outcome("c1"))
			})
		})
	}
}
