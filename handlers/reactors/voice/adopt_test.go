package voice_test

import (
	"context"
	"errors"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/parley-platform/parley/adapters/recording"
	"github.com/parley-platform/parley/domain/calls"
	"github.com/parley-platform/parley/eventstore"
	"github.com/parley-platform/parley/eventstore/memory"
	"github.com/parley-platform/parley/handlers/reactors"
	"github.com/parley-platform/parley/handlers/reactors/voice"
)

// leftWire is a line that its node can leave to another.
type leftWire struct {
	*wire
	left int
	line *soundWire // that its sound is joined by; nil: it cannot be
	peer *referWire // that calls people itself; nil: it does not
}

func (l *leftWire) Refers() bool { return l.peer != nil }

func (l *leftWire) Refer(ctx context.Context, target, of string) (int, string, error) {
	return l.peer.Refer(ctx, target, of)
}

func (l *leftWire) Join(other any) error {
	if l.line == nil {
		return errors.New("it has no sound")
	}
	return l.line.Join(other)
}

func (l *leftWire) Abandon() { l.left++ }

// reachable is a carrier that finds the other side of a leg of another node, or does not.
type reachable struct {
	*countedCarrier
	line   voice.Leg
	status calls.LegStatus
	err    error
	asked  []calls.LegQuery

	mu  sync.Mutex
	cut []string
}

func (r *reachable) Adopt(_ context.Context, _ calls.LegRequest, q calls.LegQuery) (voice.Leg, calls.LegStatus, error) {
	if q.SID != "leg-of-c1" { // of a person, who is gone
		return nil, calls.LegOver, nil
	}
	r.asked = append(r.asked, q)
	return r.line, r.status, r.err
}

func (r *reachable) Cut(_ context.Context, sid string) error {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.cut = append(r.cut, sid)
	return nil
}

// cuts are the legs that were cut.
func (r *reachable) cuts() []string {
	r.mu.Lock()
	defer r.mu.Unlock()
	return slices.Clone(r.cut)
}

var dialog = calls.Dialog{CallID: "f81d4fae@10.0.0.7", CSeq: 2, Transport: "udp"}

// twoNodes are one that has a call in which people talk, and one that may take it over.
type twoNodes struct {
	*dialerWorld
	first  *leftWire
	second *wire
	other  *voice.Dialer
	at     *reachable
}

// onTwoNodes runs a story of a call on the first of two nodes: the agent has asked how many.
func onTwoNodes(t *testing.T, story func(*twoNodes), change ...func(*voice.DialerConfig)) {
	onTwoNodesOf(t, func(*voice.DialerConfig) {}, story, change...)
}

// onTwoNodesOf is onTwoNodes where the first of them is another, too.
func onTwoNodesOf(t *testing.T, first func(*voice.DialerConfig), story func(*twoNodes), change ...func(*voice.DialerConfig)) {
	all := sources{"asker": asker}
	inVirtualTime(t, 1, func(w *dialerWorld) {
		require.NoError(w, w.dialer.Close(w.Context()))
		w.dialer = w.newDialer(talking(w.store.store, &asked{}, all), first)
		second := w.store.Open(eventstore.Config{Node: "n2"})
		defer second.Close()
		n := &twoNodes{dialerWorld: w, first: &leftWire{wire: newWire()}, second: newWire()}
		n.at = &reachable{countedCarrier: w.carrier, line: n.second, status: calls.LegTalking}
		n.other = w.newDialer(append([]func(*voice.DialerConfig){talking(second, &asked{}, all), func(c *voice.DialerConfig) {
			c.Node, c.Store, c.Carriers = "n2", second, []voice.Carrier{n.at}
		}}, change...)...)
		w.carrier.legs = func() voice.Leg { return n.first }
		w.place("c1", takenBy("asker"))
		n.first.facts <- calls.Fact{Kind: calls.FactAnswered, At: time.Now()}
		n.first.facts <- calls.Fact{Kind: calls.FactEstablished, At: time.Now(), Dialog: &dialog}
		w.pass(time.Second)
		n.first.says("hello")
		w.pass(time.Second)
		require.Equal(w, []string{"said 1 Good day, Ada!", "heard 1 hello", "said 3 How many?"}, w.store.talk("c1"))
		story(n)
		w.pass(10 * time.Minute)
		require.Zero(w, n.other.Legs(), "every call ends")
		require.NoError(w, n.other.Close(w.Context()))
	})
}

// without lets no commit of the first node onto the log any more that begins with an event of a type.
func (n *twoNodes) without(kind string) {
	n.store.Fail(memory.Faults{Append: func(commit []*eventstore.Record) error {
		if commit[0].Source == "/parley/n1" && strings.Contains(commit[0].Type, kind) {
			return errAway
		}
		return nil
	}})
}

// gone lets the lease of the first node lapse, as if it were gone, and the other find that.
func (n *twoNodes) gone() {
	n.Helper()
	n.without("")
	n.pass(31 * time.Second)
	require.NoError(n, n.other.Expire(n.Context(), "c1", time.Now()))
	n.pass(time.Second)
}

// Given a call whose node is gone, when somebody ends it before another has taken it over, as with its session, then who is still on the
// line is looked for when it would have been given up, and hung up; by a node that ends itself, at once.
func TestACallThatIsEndedWhileItsNodeIsGone(t *testing.T) {
	for name, c := range map[string]struct {
		status calls.LegStatus
		closes bool
		cut    []string
	}{
		"somebody is on the line": {calls.LegTalking, false, []string{"leg-of-c1"}},
		"nobody is":               {calls.LegOver, false, nil},
		"the node that looks":     {calls.LegTalking, true, []string{"leg-of-c1"}},
	} {
		onTwoNodes(t, func(n *twoNodes) {
			n.carrier.lookup = func(context.Context, calls.LegQuery) (calls.LegReport, error) {
				return calls.LegReport{Status: c.status}, nil
			}
			n.store.do(n.T, "c1", "", calls.Complete{By: calls.ByBot, Cause: "its session was ended", At: time.Now()}.Decide)
			follows := voice.TrunkDialer{Dialer: n.other}.Reactor()
			for actor, is := range map[string]bool{"user:ada": true, "reactor:dialer": false, "timer:lease": false} {
				of := eventstore.Record{Type: "parley.calls.completed.v1", Actor: actor, Data: []byte("{}")}
				require.Equal(n, is, follows.Only(&of), actor)
			}
			ended := reactors.Event{Stream: calls.Calls.Stream("c1"), Payload: calls.Completed{At: time.Now()}}
			require.NoError(n, follows.Handle(n.Context(), ended))
			n.pass(29 * time.Second)
			require.Empty(n, n.at.cuts(), "its node may be there")
			if c.closes {
				require.NoError(n, n.other.Close(n.Context()))
			}
			n.pass(2 * time.Second)
			require.Equal(n, c.cut, n.at.cuts(), name)
		})
	}
}

func TestACallOutlivesItsNode(t *testing.T) {
	onTwoNodes(t, func(n *twoNodes) {
		n.gone()
		s := n.store.state("c1")
		require.Equal(n, []any{"n2", calls.PhaseAnswered, uint32(1_002)}, []any{s.Node, s.Phase, s.Dialog.CSeq})
		require.Len(n, n.at.asked, 1)
		require.Equal(n, s.Dialog, n.at.asked[0].Dialog)

		n.store.Fail(memory.Faults{}) // it stood still, and comes back
		n.pass(20 * time.Second)
		require.Equal(n, []int{1, 0, 0}, []int{n.first.left, n.first.hungUp, n.dialer.Legs()}, "it leaves the call alone")
		require.Equal(n, calls.PhaseAnswered, n.store.state("c1").Phase)

		n.second.says("17")
		n.pass(time.Second)
		require.Equal(n, []string{"said 1 Good day, Ada!", "heard 1 hello", "said 3 How many?", "heard 2 17", "said 5 17, noted.",
			"Bot-disconnected: the agent ended the conversation"}, n.store.talk("c1"))
		require.Equal(n, 1, n.second.hungUp)
		require.Len(n, n.store.session("c1").Talk.Caller, 4, "one session, opened once")
	})
}

// What was heard and not answered when the node was lost is answered by the next one, once.
func TestWhatWasHeardIsAnsweredByTheNextNode(t *testing.T) {
	onTwoNodes(t, func(n *twoNodes) {
		n.without("parley.sessions")
		n.first.says("17")
		n.pass(time.Second)
		require.Len(n, n.store.talk("c1"), 4)
		n.gone()
		n.pass(10 * time.Second)
		require.Equal(n, []string{"heard 2 17", "said 5 17, noted.", "Bot-disconnected: the agent ended the conversation"},
			n.store.talk("c1")[3:])
		require.Equal(n, 5, n.store.session("c1").Talk.Messages)
	})
}

// What is said meanwhile, as by a turn that ends while the callee speaks, is no answer to it.
func TestWhatWasHeardBeforeSomethingWasSaidIsAnsweredByTheNextNode(t *testing.T) {
	onTwoNodes(t, func(n *twoNodes) {
		n.without("parley.sessions")
		n.first.says("17")
		n.pass(time.Second)
		n.store.do(n.T, "c1", "", calls.Say{Text: "One moment.", At: time.Now()}.Decide)
		n.gone()
		n.pass(10 * time.Second)
		require.Equal(n, []string{"heard 2 17", "said 0 One moment.", "said 5 17, noted.",
			"Bot-disconnected: the agent ended the conversation"}, n.store.talk("c1")[3:])
		require.Equal(n, 5, n.store.session("c1").Talk.Messages)
	})
}

// Given a person who was on the line of a call, or whose telephone rang, when the node was lost, then the next one calls them again, and
// says once what came of it.
func TestThePersonOfACallIsCalledByTheNextNode(t *testing.T) {
	for name, talked := range map[string]bool{"they talked": true, "it rang": false} {
		t.Run(name, func(t *testing.T) {
			onTwoNodes(t, func(n *twoNodes) {
				line, first, person := &soundWire{wire: n.second}, &soundWire{wire: newWire()}, &soundWire{wire: newWire()}
				n.first.line = &soundWire{wire: n.first.wire}
				n.at.line = line
				n.carrier.legs = func() voice.Leg { return first }
				n.store.do(n.T, "c1", "", calls.CallPerson{TransferID: "t-1", ClaimID: "t-1-1", Target: "sip:maria@pbx.example",
					At: time.Now()}.Decide)
				n.pass(11 * time.Second)
				if talked {
					first.facts <- fact(calls.FactEstablished)
					n.pass(time.Second)
				}
				require.Equal(n, 2, n.carrier.dials())
				n.carrier.legs = func() voice.Leg { return person }
				n.gone()
				require.Equal(n, 3, n.carrier.dials())
				require.Equal(n, "sip:maria@pbx.example", n.carrier.dialed[2].Target)
				person.facts <- fact(calls.FactEstablished)
				n.pass(time.Second)
				require.Same(n, person, line.joined())
				person.facts <- fact(calls.FactHungUp)
				n.pass(time.Second)
				want := []string{"200 OK", "Bot-disconnected: the person hung up"}
				if talked {
					want = append([]string{"200 OK"}, want...)
				}
				require.Equal(n, want, n.store.outcome("c1"))
			})
		})
	}
}

// Given a call that cannot be gone on with, then it ends, with the last sign of life, and nobody is
// left waiting at the other side, nor for a message that was being left.
func TestACallThatCannotBeTakenOver(t *testing.T) {
	for name, c := range map[string]struct {
		at    *reachable
		cause string
	}{
		"it was over":                    {&reachable{status: calls.LegOver}, "node lost, and the call was over"},
		"the other side does not answer": {&reachable{err: errors.New("no answer")}, "node lost"},
	} {
		t.Run(name, func(t *testing.T) {
			onTwoNodes(t, func(n *twoNodes) {
				n.at.line, n.at.status, n.at.err = nil, c.at.status, c.at.err
				n.store.do(n.T, "c1", "", calls.TakeMessage{VoicemailID: "v-1", TransferID: "t-1", At: time.Now()}.Decide)
				n.gone()
				require.Equal(n, []string{"missed: the node that took it was lost"}, n.store.told("c1"))
				seen := n.store.state("c1").LastSeen
				require.Equal(n, "Gateway-disconnected: "+c.cause, n.store.talk("c1")[3])
				require.Equal(n, seen, n.store.state("c1").EndedAt)
				require.EqualValues(n, 1_002, n.at.asked[0].Dialog.CSeq)
			})
		})
	}
}

// A node without room leaves the call to others for a lease, one without its carrier for two; after that it is hung up, as far as
// that can be done here.
func TestACallThatCannotBeTakenOverHere(t *testing.T) {
	for name, c := range map[string]struct {
		change func(*voice.DialerConfig)
		leases int
		cut    int
	}{
		"there is no room":        {func(c *voice.DialerConfig) { c.MaxLegs = -1 }, 1, 1},
		"its carrier is not here": {func(c *voice.DialerConfig) { c.Carriers = nil }, 2, 0},
	} {
		t.Run(name, func(t *testing.T) {
			onTwoNodes(t, func(n *twoNodes) {
				n.without("")
				n.pass(31 * time.Second)
				for range c.leases {
					var later reactors.Later
					require.ErrorAs(n, n.other.Expire(n.Context(), "c1", time.Now()), &later)
					require.Equal(n, calls.PhaseAnswered, n.store.state("c1").Phase)
					n.pass(30 * time.Second)
				}
				n.at.lookup = func(context.Context, calls.LegQuery) (calls.LegReport, error) {
					return calls.LegReport{Status: calls.LegTalking}, nil
				}
				require.NoError(n, n.other.Expire(n.Context(), "c1", time.Now()))
				require.Equal(n, "Gateway-disconnected: node lost", n.store.talk("c1")[3])
				require.Len(n, n.at.cuts(), c.cut)
				require.Empty(n, n.at.asked)
			}, c.change)
		})
	}
}

// Two nodes that find it at once are one that has it.
func TestOneNodeTakesACallOver(t *testing.T) {
	onTwoNodes(t, func(n *twoNodes) {
		line, store := newWire(), n.store.Open(eventstore.Config{Node: "n3"})
		defer store.Close()
		third := &reachable{countedCarrier: n.carrier, line: line, status: calls.LegTalking}
		another := n.newDialer(talking(store, &asked{}, sources{"asker": asker}), func(c *voice.DialerConfig) {
			c.Node, c.Store, c.Carriers = "n3", store, []voice.Carrier{third}
		})
		n.without("lease-renewed")
		n.pass(31 * time.Second)
		errs := make(chan error, 2)
		for _, d := range []*voice.Dialer{n.other, another} {
			go func() { errs <- d.Expire(n.Context(), "c1", time.Now()) }()
		}
		require.NoError(n, errors.Join(<-errs, <-errs))
		n.pass(time.Second)
		require.Equal(n, 1, len(n.at.asked)+len(third.asked))
		for _, w := range []*wire{n.second, line} {
			w.facts <- calls.Fact{Kind: calls.FactHungUp, At: time.Now()}
		}
		n.pass(time.Second)
		require.NoError(n, another.Close(n.Context()))
	})
}

// Given a call that is recorded, when another node goes on with it, then it is recorded no more, and says so; what the first node had is
// kept when that comes back, as a part.
func TestACallThatIsTakenOverIsRecordedInPart(t *testing.T) {
	blobs := blobsInMemory{}
	first, err := recording.Open(t.TempDir(), blobs)
	require.NoError(t, err)
	second, err := recording.Open(t.TempDir(), blobs)
	require.NoError(t, err)
	onThePhone(t, func(w *dialerWorld, p *phone, _ *slowSpeaker) {
		n := &twoNodes{dialerWorld: w}
		p.facts <- fact(calls.FactEstablished)
		store := w.store.Open(eventstore.Config{Node: "n2"})
		defer store.Close()
		next := ring(nil, &slowSpeaker{}, true)
		n.at = &reachable{countedCarrier: w.carrier, line: next, status: calls.LegTalking}
		n.other = w.newDialer(talking(store, &asked{}, sources{"asker": asker}), func(c *voice.DialerConfig) {
			c.Node, c.Store, c.Carriers, c.Recordings = "n2", store, []voice.Carrier{n.at}, taped{second}
		})
		w.pass(3 * time.Second)
		n.gone()
		require.Contains(w, w.store.heardOn("c1")[1:],
			"not recorded: the node that recorded it is lost; what it has of it is stored when it is back")
		n.store.Fail(memory.Faults{}) // it stood still, and comes back
		w.pass(20 * time.Second)
		kept := w.store.state("c1").Recording
		require.True(w, kept.CutOff)
		require.Len(w, blobs[kept.Blob], int(kept.SizeBytes))
		_ = next.HangUp(w.Context())
		w.pass(time.Minute)
		require.Equal(w, calls.PhaseCompleted, w.store.state("c1").Phase)
		require.Len(w, blobs, 1)
		require.NoError(w, n.other.Close(w.Context()))
	}, recorded, func(c *voice.DialerConfig) { c.Recordings = taped{first} })
}
