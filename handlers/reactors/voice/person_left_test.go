package voice_test

import (
	"context"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/parley-platform/parley/domain/calls"
	"github.com/parley-platform/parley/handlers/reactors/voice"
)

// slowWire is the leg of a person to whom it takes a while to say what the call is about.
type slowWire struct {
	*soundWire
	takes time.Duration
	cut   bool
}

func (s *slowWire) Say(ctx context.Context, text, language string) error {
	select {
	case <-time.After(s.takes):
		return s.soundWire.Say(ctx, text, language)
	case <-ctx.Done():
		s.cut = true
		return ctx.Err()
	}
}

// telling runs a story while a person is told what the call is about.
func telling(t *testing.T, story func(w *dialerWorld, line *soundWire, person *slowWire)) {
	t.Helper()
	inVirtualTime(t, 1, func(w *dialerWorld) {
		line, person := &soundWire{wire: newWire()}, &slowWire{soundWire: &soundWire{wire: newWire()}, takes: 8 * time.Second}
		w.wants(line.wire, "sip:maria@pbx.example", line, person)
		person.facts <- fact(calls.FactEstablished)
		w.pass(2 * time.Second)
		require.Nil(w, line.joined())
		require.Empty(w, w.store.outcome("c1"))
		require.Equal(w, dialog, w.store.state("c1").PersonLeg.Dialog, "another node can end it")
		story(w, line, person)
		line.facts <- fact(calls.FactHungUp)
	})
}

// A person is told what a call is about before the two talk; who hangs up meanwhile has turned it down, and a caller who does so is
// waited for no more.
func TestAPersonIsToldWhatACallIsAbout(t *testing.T) {
	telling(t, func(w *dialerWorld, line *soundWire, person *slowWire) {
		w.pass(7 * time.Second)
		require.Equal(w, []any{[]string{"Wants to pay."}, any(person)}, []any{person.said, line.joined()})
		require.Equal(w, []string{"200 OK"}, w.store.outcome("c1"))
	})
	telling(t, func(w *dialerWorld, line *soundWire, person *slowWire) {
		person.facts <- fact(calls.FactHungUp)
		w.pass(10 * time.Second)
		require.Equal(w, []string{"603 Decline"}, w.store.outcome("c1"))
		require.Nil(w, line.joined())
		require.Nil(w, w.store.state("c1").PersonLeg)
	})
	telling(t, func(w *dialerWorld, line *soundWire, person *slowWire) {
		line.facts <- fact(calls.FactHungUp)
		w.pass(time.Second)
		require.Equal(w, []any{1, true}, []any{person.hungUp, person.cut})
		require.Equal(w, []string{"Caller-disconnected: the callee hung up"}, w.store.outcome("c1"))
	})
}

// both is a carrier that finds the leg of a call at its other side, and that of the person on its line.
type both struct {
	*reachable
	person voice.Leg // nil: their leg is over
}

func (b *both) Adopt(ctx context.Context, r calls.LegRequest, q calls.LegQuery) (voice.Leg, calls.LegStatus, error) {
	if q.SID == "leg-of-c1" {
		return b.reachable.Adopt(ctx, r, q)
	}
	b.asked = append(b.asked, q)
	if b.person == nil {
		return nil, calls.LegOver, nil
	}
	return b.person, calls.LegTalking, nil
}

// Given a person on the line of a call whose node is gone, then the next one goes on with both, and joins them again.
func TestAPersonStaysOnTheLineOfTheNextNode(t *testing.T) {
	var at *both
	onTwoNodes(t, func(n *twoNodes) {
		line, again := &soundWire{wire: newWire()}, &soundWire{wire: newWire()}
		n.store.do(n.T, "c1", "", calls.CallPerson{TransferID: "t-1", ClaimID: "t-1-1", Target: "sip:maria@pbx.example", At: time.Now()}.Decide)
		n.store.do(n.T, "c1", "", calls.EstablishPerson{TransferID: "t-1", SID: "leg-of-maria", Dialog: calls.Dialog{CallID: "maria"},
			At: time.Now()}.Decide)
		n.store.do(n.T, "c1", "", calls.TransferLeg{TransferID: "t-1", Code: 200, At: time.Now()}.Decide)
		at.line, at.person = line, again
		n.gone()
		require.Equal(n, "leg-of-maria", at.asked[1].SID)
		require.Equal(n, "maria", at.asked[1].Dialog.CallID)
		require.Equal(n, uint32(1_000), at.asked[1].Dialog.CSeq, "behind what the node before may have asked")
		again.facts <- fact(calls.FactEstablished)
		n.pass(time.Second)
		require.Same(n, again, line.joined())
		require.Empty(n, again.said, "they know what it is about")
		require.Equal(n, 1, n.carrier.dials(), "nobody is called")
		again.facts <- fact(calls.FactHungUp)
		n.pass(time.Second)
		require.Contains(n, n.store.outcome("c1"), "Bot-disconnected: the person hung up")
		require.Equal(n, 1, line.hungUp)
	}, func(c *voice.DialerConfig) {
		at = &both{reachable: c.Carriers[0].(*reachable)}
		c.Carriers = []voice.Carrier{at}
	})
}

// Given a call that cannot be gone on with, then the person on its line is hung up.
func TestAPersonIsNotLeftAlone(t *testing.T) {
	onTwoNodes(t, func(n *twoNodes) {
		n.store.do(n.T, "c1", "", calls.CallPerson{TransferID: "t-1", ClaimID: "t-1-1", Target: "sip:maria@pbx.example", At: time.Now()}.Decide)
		n.store.do(n.T, "c1", "", calls.EstablishPerson{TransferID: "t-1", SID: "leg-of-maria", Dialog: calls.Dialog{CallID: "maria"},
			At: time.Now()}.Decide)
		n.without("")
		n.pass(31 * time.Second)
		n.carrier.lookup = func(_ context.Context, q calls.LegQuery) (calls.LegReport, error) {
			return calls.LegReport{Status: calls.LegTalking}, nil
		}
		require.NoError(n, n.other.Close(n.Context())) // it takes nothing over
		n.pass(31 * time.Second)
		require.NoError(n, n.other.Expire(n.Context(), "c1", time.Now()))
		require.Equal(n, []string{"leg-of-c1", "leg-of-maria"}, n.at.cuts())
	})
}

// Given a call whose caller is gone when the next node asks for them, or whom the trunk has for the person, then the person on its line is
// hung up, once that the call has ended is on the log.
func TestAPersonIsNotLeftAloneByTheNextNode(t *testing.T) {
	for name, c := range map[string]struct {
		line   bool // the caller is there
		status calls.LegStatus
		by     calls.Way
	}{
		"the caller has hung up":   {false, calls.LegOver, calls.ByBridge},
		"nobody answers":           {false, calls.LegUntold, calls.ByBridge},
		"the trunk has taken both": {true, calls.LegTalking, calls.ByRefer},
	} {
		t.Run(name, func(t *testing.T) {
			onTwoNodes(t, func(n *twoNodes) {
				n.mariaTalks(c.by)
				n.carrier.lookup = func(_ context.Context, q calls.LegQuery) (calls.LegReport, error) {
					require.Equal(n, "leg-of-maria", q.SID)
					require.True(n, n.store.state("c1").Ended())
					return calls.LegReport{Status: calls.LegTalking}, nil
				}
				if n.at.status = c.status; !c.line {
					n.at.line = nil
				}
				n.gone()
				require.Equal(n, []string{"leg-of-maria"}, n.at.cuts())
			})
		})
	}
}

// mariaTalks has a person on the line of the call.
func (n *twoNodes) mariaTalks(by calls.Way) {
	n.store.do(n.T, "c1", "", calls.CallPerson{TransferID: "t-1", ClaimID: "t-1-1", Target: "sip:maria@pbx.example", At: time.Now()}.Decide)
	n.store.do(n.T, "c1", "", calls.EstablishPerson{TransferID: "t-1", SID: "leg-of-maria", Dialog: calls.Dialog{CallID: "maria"},
		At: time.Now()}.Decide)
	n.store.do(n.T, "c1", "", calls.TransferLeg{TransferID: "t-1", Code: 200, By: by, At: time.Now()}.Decide)
}

// Given a person whose transfer was over when the node of the call was lost, then the next one does not bring them back, and hangs up
// their leg if it is there still.
func TestAPersonWhoWasLetGoIsHungUpByTheNextNode(t *testing.T) {
	for name, there := range map[string]calls.LegStatus{"there still": calls.LegTalking, "gone": calls.LegOver} {
		t.Run(name, func(t *testing.T) {
			onTwoNodes(t, func(n *twoNodes) {
				n.mariaTalks("")
				n.store.do(n.T, "c1", "", calls.FreePerson{TransferID: "t-1", At: time.Now()}.Decide)
				n.carrier.lookup = func(_ context.Context, q calls.LegQuery) (calls.LegReport, error) {
					require.Equal(n, "leg-of-maria", q.SID)
					return calls.LegReport{Status: there}, nil
				}
				n.gone()
				n.pass(11 * time.Second)
				require.Equal(n, map[calls.LegStatus][]string{calls.LegTalking: {"leg-of-maria"}}[there], n.at.cuts())
				require.Equal(n, 1, n.carrier.dials(), "nobody is called")
				n.second.facts <- fact(calls.FactHungUp)
			})
		})
	}
}
