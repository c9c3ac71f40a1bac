package voice_test

import (
	"context"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/parley-platform/parley/domain/calls"
	"github.com/parley-platform/parley/domain/transfers"
	"github.com/parley-platform/parley/handlers/reactors/voice"
)

// trunkCarrier is a carrier that calls over trunks.
type trunkCarrier struct{ *countedCarrier }

func (trunkCarrier) Provider() string { return calls.ProviderSIP }

var maria = calls.CallPerson{TransferID: "t-1", ClaimID: "t-1-1", Target: "tel:+15550000009", Trunk: "desk", Summary: "Wants to pay."}

// aRoom is a call in which several may talk.
func aRoom(a *calls.Arrive) {
	a.Provider, a.ProviderID, a.OurNumber = calls.ProviderLiveKit, "t_acme__p_a-1__s_s-1", "t_acme__p_a-1__s_s-1"
	a.SessionID = "s-1"
}

// brought runs a story of a call that a provider brought, and of the telephone of a person over a trunk; done is told when it is over.
func brought(t *testing.T, by func(*calls.Arrive), story func(w *dialerWorld, line, person *soundWire, carry func() (done <-chan error))) {
	t.Helper()
	inConversation(t, func(w *dialerWorld, _ *asked) {
		require.NoError(w, w.dialer.Close(w.Context()))
		line, person := &soundWire{wire: newWire()}, &soundWire{wire: newWire()}
		w.carrier.legs = func() voice.Leg { return person }
		w.dialer = w.newDialer(talking(w.store.store, &asked{}, sources{"asker": asker}),
			func(c *voice.DialerConfig) { c.Carriers = []voice.Carrier{trunkCarrier{w.carrier}} })
		w.bringAs("asker", asker, by)
		story(w, line, person, func() <-chan error {
			done := make(chan error, 1)
			go func() { done <- w.dialer.Carry(w.Context(), carried, "MZ1", line) }()
			w.pass(time.Second)
			return done
		})
	})
}

// Given a call that a provider brought, when a person is to be on its line, then they are called over the trunk that is named, and the two
// are joined; whoever hangs up first ends it for both. In a room nobody has hung up before all have left.
func TestAPersonTakesACallThatWasBrought(t *testing.T) {
	for door, of := range map[string]struct {
		by     func(*calls.Arrive)
		number string
	}{"by Twilio": {func(*calls.Arrive) {}, "+15550100"}, "as a room": {aRoom, ""}} {
		for name, hangsUp := range map[string]func(line, person *soundWire) (ends string, other *soundWire){
			"the person hangs up": func(line, person *soundWire) (string, *soundWire) {
				person.facts <- fact(calls.FactHungUp)
				return "Bot-disconnected: the person hung up", line
			},
			"the caller hangs up": func(line, person *soundWire) (string, *soundWire) {
				line.facts <- fact(calls.FactHungUp)
				return "Caller-disconnected: the callee hung up", person
			},
		} {
			t.Run(door+", "+name, func(t *testing.T) {
				brought(t, of.by, func(w *dialerWorld, line, person *soundWire, carry func() <-chan error) {
					done := carry()
					w.wanted(carried, maria)
					w.pass(11 * time.Second) // the next sign of life
					require.Equal(w, 1, w.carrier.dials())
					r := w.carrier.dialed[0]
					require.Equal(w, []string{"desk", "tel:+15550000009", of.number}, []string{r.Trunk, r.Target, r.OurNumber})
					person.facts <- fact(calls.FactEstablished)
					w.pass(time.Second)
					require.Equal(w, []any{[]string{"Wants to pay."}, person}, []any{person.said, line.joined()})
					require.Equal(w, []string{"200 OK"}, w.store.outcome(carried))
					ends, other := hangsUp(line, person)
					w.pass(time.Second)
					require.NoError(w, <-done)
					require.Equal(w, []string{"200 OK", ends}, w.store.outcome(carried))
					require.Equal(w, 1, other.hungUp)
				})
			})
		}
	}
}

// Given a person who has the session of a room into which no agent has come yet, then they are called when one has, if they have it still.
func TestAPersonIsCalledWhenTheAgentIsInTheRoom(t *testing.T) {
	for name, over := range map[string]bool{"they have it": false, "they have it no more": true} {
		t.Run(name, func(t *testing.T) {
			brought(t, aRoom, func(w *dialerWorld, line, _ *soundWire, carry func() <-chan error) {
				asked := toPerson
				asked.At = time.Now()
				ran(w.T, w.store, transfers.Transfers, transfers.Stream("t-1"), asked.Decide)
				ran(w.T, w.store, transfers.Transfers, transfers.Stream("t-1"), transfers.Assign{Attempt: 1, ClaimUntil: time.Now().Add(time.Hour),
					At: time.Now()}.Decide)
				w.wanted(carried, maria)
				w.pass(time.Minute)
				require.Zero(w, w.carrier.dials(), "nobody hears the room")
				if over {
					ran(w.T, w.store, transfers.Transfers, transfers.Stream("t-1"), transfers.End{Reason: transfers.HandedBack, At: time.Now()}.Decide)
				}
				done := carry()
				w.pass(11 * time.Second)
				if over {
					require.Zero(w, w.carrier.dials())
					require.Equal(w, []string{"487 Request Terminated"}, w.store.outcome(carried))
				} else {
					require.Equal(w, 1, w.carrier.dials())
				}
				line.facts <- fact(calls.FactHungUp)
				w.pass(time.Second)
				require.NoError(w, <-done)
			})
		})
	}
}

// Given a room with a person on its line whose node is lost, then the call ends once, and the person is hung up by who ends it.
func TestARoomIsLostWithItsNode(t *testing.T) {
	inVirtualTime(t, 1, func(w *dialerWorld) {
		w.bringAs("asker", asker, aRoom)
		w.store.do(w.T, carried, "", calls.TakeLine{Try: "of the dead", StreamID: "room", Node: "n0", At: time.Now(),
			LeaseUntil: time.Now().Add(30 * time.Second)}.Decide)
		w.wanted(carried, maria)
		w.store.do(w.T, carried, "", calls.EstablishPerson{TransferID: "t-1", SID: "leg-of-maria", Dialog: calls.Dialog{CallID: "maria"},
			At: time.Now()}.Decide)
		w.store.do(w.T, carried, "", calls.TransferLeg{TransferID: "t-1", Code: 200, Phrase: "OK", At: time.Now()}.Decide)
		at := &reachable{countedCarrier: w.carrier}
		w.carrier.lookup = func(_ context.Context, q calls.LegQuery) (calls.LegReport, error) {
			require.Equal(w, []string{"leg-of-maria", "desk"}, []string{q.SID, q.Trunk})
			return calls.LegReport{Status: calls.LegTalking}, nil
		}
		other := w.newDialer(func(c *voice.DialerConfig) { c.Carriers = []voice.Carrier{atTrunk{at}} })
		w.pass(31 * time.Second)
		for until := time.Now().Add(2 * time.Minute); !w.store.state(carried).Ended() && time.Now().Before(until); w.pass(time.Second) {
			if err := other.Expire(w.Context(), carried, time.Now()); err != nil {
				require.ErrorContains(w, err, "later")
			}
		}
		require.NoError(w, other.Expire(w.Context(), carried, time.Now()), "it may be told twice")
		require.Equal(w, []string{"200 OK", "Gateway-disconnected: node lost"}, w.store.outcome(carried))
		require.Equal(w, []string{"leg-of-maria"}, at.cuts())
		require.NoError(w, other.Close(w.Context()))
	})
}

// atTrunk is a carrier that calls over trunks, and takes calls over.
type atTrunk struct{ *reachable }

func (atTrunk) Provider() string { return calls.ProviderSIP }

// A node that calls over no trunk leaves the person what they have, which is the session.
func TestANodeWithoutTrunksCallsNobody(t *testing.T) {
	inConversation(t, func(w *dialerWorld, _ *asked) {
		w.bring("asker")
		line := &soundWire{wire: newWire()}
		done := make(chan error, 1)
		go func() { done <- w.dialer.Carry(w.Context(), carried, "MZ1", line) }()
		w.pass(time.Second)
		w.store.do(w.T, carried, "", calls.CallPerson{TransferID: "t-1", ClaimID: "t-1-1", Target: "tel:+15550000009", Trunk: "desk",
			At: time.Now()}.Decide)
		w.pass(time.Minute)
		require.Empty(w, w.store.outcome(carried))
		require.True(w, w.store.state(carried).Answered())
		require.Zero(w, w.carrier.dials())
		line.facts <- fact(calls.FactHungUp)
		w.pass(time.Second)
		require.NoError(w, <-done)
	})
}
