package voice_test

import (
	"context"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/parley-platform/parley/domain/calls"
	"github.com/parley-platform/parley/domain/sessions"
	"github.com/parley-platform/parley/eventstore/memory"
	"github.com/parley-platform/parley/handlers/reactors/voice"
)

// taken says who has the session of a call by a transfer: a person, or a queue.
func (w *dialerWorld) taken(turn int, person, queue string) {
	w.Helper()
	w.takes(turn, sessions.Take{HumanAgentID: person, QueueID: queue})
}

func (w *dialerWorld) takes(turn int, take sessions.Take) {
	w.Helper()
	take.TransferID, take.ConversationID, take.Turn, take.At = "t-"+string(rune('0'+turn)), "c-t-1", turn, time.Now()
	ran(w.T, w.store, sessions.Sessions, sessions.Sessions.Stream(w.store.state("c1").SessionID), take.Decide)
}

// Given a caller whose session waits in the line of a queue, for the first time or behind a person who was on the line, then they hear that
// the call is still there, unless somebody speaks; when somebody has it, they do not.
func TestACallerWhoWaitsForPeopleHearsThat(t *testing.T) {
	blobs := blobsInMemory{}
	onThePhone(t, func(w *dialerWorld, p *phone, _ *slowSpeaker) {
		w.pass(20 * time.Second)
		require.Zero(w, p.plays("waiting"), "the agent has it")
		w.taken(1, "", "q-1")
		w.pass(20 * time.Second)
		require.InDelta(w, 5, p.plays("waiting"), 1)
		w.taken(1, "h-1", "q-1")
		w.pass(5 * time.Second)
		p.plays("waiting")
		w.pass(20 * time.Second)
		require.Zero(w, p.plays("waiting"), "a person has it")
		w.taken(2, "", "q-2")
		w.pass(20 * time.Second)
		require.InDelta(w, 5, p.plays("waiting"), 1)
		w.takes(2, sessions.Take{QueueID: "q-2", Elsewhere: true})
		w.pass(5 * time.Second)
		p.plays("waiting")
		w.pass(20 * time.Second)
		require.Zero(w, p.plays("waiting"), "a person has it who is no agent of ours")
		w.taken(3, "", "q-3")
		w.pass(20 * time.Second)
		require.InDelta(w, 5, p.plays("waiting"), 1)
		w.store.do(w.T, "c1", "", calls.TakeMessage{VoicemailID: "v-1", TransferID: "t-3", At: time.Now()}.Decide)
		for p.plays("beep") == 0 {
			w.pass(100 * time.Millisecond)
		}
		p.plays("waiting")
		p.speak(6 * time.Second)
		w.pass(8 * time.Second)
		require.Zero(w, p.plays("waiting"), "they leave a message")
	}, asAsked, func(c *voice.DialerConfig) { c.Messages = blobs })
}

// Given a caller who waits in the line of a queue, when the node of the call is gone, then they hear at the next one that the call is
// still there, until somebody has it.
func TestACallerWhoWaitsHearsThatAtTheNextNode(t *testing.T) {
	onTwoNodes(t, func(n *twoNodes) {
		n.taken(1, "", "q-1")
		p := ring(nil, &slowSpeaker{}, true)
		n.at.line = p
		n.gone()
		n.store.Fail(memory.Faults{})
		n.pass(20 * time.Second)
		require.InDelta(n, 5, p.plays("waiting"), 1)
		n.taken(1, "h-1", "q-1")
		n.pass(5 * time.Second)
		p.plays("waiting")
		n.pass(20 * time.Second)
		require.Zero(n, p.plays("waiting"), "a person has it")
		_ = p.HangUp(n.Context())
	}, func(c *voice.DialerConfig) { c.Speaker = &slowSpeaker{} })
}

// Given a caller of an agent that cannot be run, whose session says nothing of people, when it waits in the line of a queue, then they hear
// that the call is still there, at the next node too; when it waits no more, or nobody can say, they do not.
func TestACallerOfNoAgentHearsThatTheyWait(t *testing.T) {
	inVirtualTime(t, 1, func(w *dialerWorld) {
		require.NoError(w, w.dialer.Close(w.Context()))
		call := "c2"
		var waits atomic.Bool
		var away atomic.Pointer[error]
		asks := func(c *voice.DialerConfig) {
			c.Speaker = &slowSpeaker{}
			c.InLine = func(_ context.Context, tenant, session string) (bool, error) {
				if err := away.Load(); err != nil {
					return false, *err
				}
				return waits.Load() && tenant == "acme" && session == w.store.state(call).SessionID, nil
			}
		}
		var p *phone
		w.carrier.legs = func() voice.Leg { p = ring(nil, &slowSpeaker{}, true); return p }
		w.dialer = w.newDialer(talking(w.store.store, &asked{}, sources{}), asks)
		w.place(call, takenBy("nobody"))
		hears := func(times float64, why string) {
			w.Helper()
			w.pass(5 * time.Second)
			p.plays("waiting")
			w.pass(20 * time.Second)
			require.InDelta(w, times, p.plays("waiting"), min(times, 1), why)
		}
		hears(0, "nobody was asked for")
		waits.Store(true)
		hears(5, "it waits")
		err := errAway
		away.Store(&err)
		hears(0, "nobody can say")
		away.Store(nil)
		hears(5, "it waits")
		waits.Store(false)
		hears(0, "somebody has it")
		_ = p.HangUp(w.Context())
		w.pass(2 * time.Second)

		const lost = "c1"
		lease := time.Now().Add(time.Second)
		w.store.request(w.T, lost)
		w.store.do(w.T, lost, "", calls.InTurn(calls.StartAttempt{AttemptID: "a-1", Node: "n0", At: time.Now(), LeaseUntil: lease}.Decide,
			calls.Answer{SessionID: "s-2", At: time.Now()}.Decide, calls.EstablishLeg{Dialog: dialog, At: time.Now()}.Decide))
		w.pass(2 * time.Second)
		call, p = lost, ring(nil, &slowSpeaker{}, true)
		next := w.newDialer(talking(w.store.store, &asked{}, sources{}), asks, func(c *voice.DialerConfig) {
			c.Carriers = []voice.Carrier{&reachable{countedCarrier: w.carrier, line: p, status: calls.LegTalking}}
		})
		require.NoError(w, next.Expire(w.Context(), lost, time.Now()))
		waits.Store(true)
		hears(5, "at the next node")
		_ = p.HangUp(w.Context())
		w.pass(2 * time.Second)
		require.NoError(w, next.Close(w.Context()))
	})
}

// Given a person whose telephone rings, then the caller hears that the call is still there, until they talk, or it is known that they do
// not come.
func TestACallerHearsThatAPersonIsCalled(t *testing.T) {
	for name, ends := range map[string]func(w *dialerWorld, person *soundWire){
		"they come": func(_ *dialerWorld, person *soundWire) { person.facts <- fact(calls.FactEstablished) },
		"they do not": func(_ *dialerWorld, person *soundWire) {
			person.facts <- calls.Fact{Kind: calls.FactRejected, Code: 486}
		},
		"nobody comes":    func(w *dialerWorld, _ *soundWire) { w.pass(30 * time.Second) },
		"it is cut off":   func(_ *dialerWorld, person *soundWire) { close(person.facts) },
		"it is over":      func(w *dialerWorld, _ *soundWire) { w.freed("t-1") },
		"another is free": func(w *dialerWorld, _ *soundWire) { w.freed("t-1"); w.taken(2, "h-2", "") },
	} {
		t.Run(name, func(t *testing.T) {
			onThePhone(t, func(w *dialerWorld, p *phone, _ *slowSpeaker) {
				person := &soundWire{wire: newWire()}
				w.carrier.legs = func() voice.Leg { return person }
				w.wanted("c1", calls.CallPerson{TransferID: "t-1", ClaimID: "t-1-1", Target: "sip:maria@pbx.example"})
				w.pass(11 * time.Second)
				p.plays("waiting")
				w.pass(12 * time.Second)
				require.InDelta(w, 3, p.plays("waiting"), 1)
				ends(w, person)
				w.pass(2 * time.Second)
				p.plays("waiting")
				w.pass(20 * time.Second)
				require.Zero(w, p.plays("waiting"))
			}, asAsked)
		})
	}
}

func (w *dialerWorld) freed(transfer string) {
	w.store.do(w.T, "c1", "", calls.FreePerson{TransferID: transfer, At: time.Now()}.Decide)
	w.pass(11 * time.Second) // the next sign of life
}
