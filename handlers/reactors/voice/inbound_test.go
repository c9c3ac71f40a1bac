package voice_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/parley-platform/parley/domain/calls"
	"github.com/parley-platform/parley/domain/fault"
	"github.com/parley-platform/parley/domain/sessions"
	"github.com/parley-platform/parley/eventstore"
	"github.com/parley-platform/parley/eventstore/memory"
	"github.com/parley-platform/parley/handlers/reactors/voice"
	"github.com/parley-platform/parley/projections/runtime"
)

// ringing is a call that rings here, and what its caller is told.
type ringing struct {
	*wire
	mu   sync.Mutex
	told []string
	deaf error // what comes of answering it
}

func newRinging() *ringing { return &ringing{wire: newWire()} }

func (r *ringing) tell(word string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.told = append(r.told, word)
}

func (r *ringing) heard() string {
	r.mu.Lock()
	defer r.mu.Unlock()
	return strings.Join(r.told, ", ")
}

func (r *ringing) Ring(context.Context) error {
	r.tell("180")
	return nil
}

func (r *ringing) Answer(context.Context, calls.LegRequest) error {
	r.tell("200")
	if r.deaf == nil {
		r.facts <- calls.Fact{Kind: calls.FactAnswered, At: time.Now()}
	}
	return r.deaf
}

func (r *ringing) Reject(_ context.Context, code int, phrase string) error {
	r.tell(fmt.Sprint(code, " ", phrase))
	return nil
}

func (r *ringing) Drop() { r.tell("nothing") }

// desk is the numbers of an account.
type desk map[string]calls.Flow

func (d desk) Of(_ context.Context, _, number string) (string, *calls.Flow, error) {
	if number == "broken" {
		return "", nil, errors.New("the database is away")
	}
	flow, ok := d[number]
	if !ok {
		return "", nil, nil
	}
	return "a-1", &flow, nil
}

var numbers = desk{
	"+15550100": {ID: "cf-1", Name: "Desk", AgentName: "asker", Language: "en", Talks: true},
	"+15550101": {ID: "cf-2", Name: "Nobody"},
	"+15550102": {ID: "cf-3", Name: "Gone", AgentName: "gone", Talks: true},
	"+15550103": {ID: "cf-4", Name: "Start text", AgentName: "broken", StartText: "We call you back.", Talks: true},
}

func macOfTest(string, ...string) []byte { return make([]byte, 32) }

const cameIn = "00000000-0000-8000-8000-000000000000" // what macOfTest makes of every name

func offer(change ...func(*calls.Offer)) calls.Offer {
	o := calls.Offer{TenantID: "acme", Trunk: "main", ProviderID: "a84b4c@pbx", Tag: "1928301774", Branch: "z9hG4bK1",
		Person: "tel:+15550000001", Called: "+15550100"}
	for _, f := range change {
		f(&o)
	}
	return o
}

func called(number string) func(*calls.Offer) { return func(o *calls.Offer) { o.Called = number } }

// takesCalls gives the dialer numbers, and agents.
func takesCalls(store *eventstore.Store, change ...func(*voice.DialerConfig)) []func(*voice.DialerConfig) {
	return append([]func(*voice.DialerConfig){talking(store, &asked{}, sources{"asker": asker, "broken": "DSL: 1\nAGENT: other\n"}),
		func(c *voice.DialerConfig) { c.Numbers, c.MAC = numbers, macOfTest }}, change...)
}

// callsComeIn runs a story with a dialer at which calls come in.
func callsComeIn(t *testing.T, story func(*dialerWorld), change ...func(*voice.DialerConfig)) {
	inVirtualTime(t, 1, func(w *dialerWorld) {
		require.NoError(w, w.dialer.Close(w.Context()))
		w.dialer = w.newDialer(takesCalls(w.store.store, change...)...)
		story(w)
	})
}

// comes offers a call in the background.
func (w *dialerWorld) comes(r *ringing, o calls.Offer) {
	go w.dialer.Offered(w.Context(), o, r)
	w.pass(time.Second)
}

func TestACallComesIn(t *testing.T) {
	callsComeIn(t, func(w *dialerWorld) {
		r := newRinging()
		w.comes(r, offer())
		require.Equal(w, "180, 200", r.heard())
		r.says("17")
		r.says("17")
		w.pass(time.Minute)
		require.Equal(w, []string{"said 1 Good day, !", "heard 1 17", "heard 2 17", "said 3 How many?", "said 5 17, noted.",
			"Bot-disconnected: the agent ended the conversation"}, w.store.talk(cameIn))
		require.Equal(w, 1, r.hungUp)
		s := w.store.state(cameIn)
		require.Equal(w, []any{calls.Inbound, "main", cameIn, "tel:+15550000001", "+15550100", "cf-1", "n1"}, []any{s.Arrival.Direction,
			s.Request.Trunk, s.SID, s.Request.Target, s.Request.OurNumber, s.Request.Flow.ID, s.Node})
		session := w.store.session(cameIn)
		require.Equal(w, []any{sessions.Ended, cameIn, "voice", "asker"}, []any{session.Status, session.CallID, session.Channel,
			session.AgentName})
		require.JSONEq(w, `"inbound"`, string(session.Talk.Caller["direction"]))
		require.JSONEq(w, `"+15550000001"`, string(session.Talk.Caller["userId"]))
	})
}

// What is on the log stands there before the caller is told: the table has both.
func TestWhatBecomesOfACallThatComesIn(t *testing.T) {
	nobody := []string{"0 ringing", "0 failed Temporarily Unavailable: 480 Temporarily Unavailable"}
	for name, c := range map[string]struct {
		offer  calls.Offer
		change func(*voice.DialerConfig)
		told   string
		story  []string
	}{
		"a number that is nobody's": {offer(called("+15550199")), nil, "404 Not Found", nil},
		"as many as the trunk has": {offer(func(o *calls.Offer) { o.Full = true }), nil, "486 Busy Here",
			[]string{"0 failed Busy Here: 486 Busy Here"}},
		"a flow without an agent": {offer(called("+15550101")), nil, "180, 480 Temporarily Unavailable", nobody},
		"an agent that is gone":   {offer(called("+15550102")), nil, "180, 480 Temporarily Unavailable", nobody},
		"a node without room":     {offer(), func(c *voice.DialerConfig) { c.MaxLegs = -1 }, "503 Service Unavailable", nil},
		"no room for its sound":   {offer(), func(c *voice.DialerConfig) { c.MostSound = -1 }, "503 Service Unavailable", nil},
		"a database that is away": {offer(called("broken")), nil, "503 Service Unavailable", nil},
		"an agent with a start text alone": {offer(called("+15550103")), nil, "180, 200",
			[]string{"0 ringing", "0 answered", "0 said We call you back."}},
	} {
		t.Run(name, func(t *testing.T) {
			change := []func(*voice.DialerConfig){}
			if c.change != nil {
				change = append(change, c.change)
			}
			callsComeIn(t, func(w *dialerWorld) {
				r := newRinging()
				w.comes(r, c.offer)
				require.Equal(w, c.told, r.heard())
				require.Equal(w, c.story, w.store.story(cameIn))
				r.facts <- calls.Fact{Kind: calls.FactHungUp, At: time.Now()}
			}, change...)
		})
	}
}

// The same request at another node is being answered there; another request of the same call is one
// too many. Neither has the call, however it ends.
func TestTheLogDecidesWhoAnswers(t *testing.T) {
	callsComeIn(t, func(w *dialerWorld) {
		first, again, forked := newRinging(), newRinging(), newRinging()
		other := w.newDialer(takesCalls(w.store.store, func(c *voice.DialerConfig) { c.Node = "n2" })...)
		w.comes(first, offer())
		go other.Offered(w.Context(), offer(), again)
		go other.Offered(w.Context(), offer(func(o *calls.Offer) { o.Branch = "z9hG4bK2" }), forked)
		w.pass(time.Second)
		require.Equal(w, []string{"180, 200", "nothing", "482 Request Merged"}, []string{first.heard(), again.heard(), forked.heard()})
		require.Equal(w, "n1", w.store.state(cameIn).Node)
		first.facts <- calls.Fact{Kind: calls.FactHungUp, At: time.Now()}
		w.pass(time.Second)
		late := newRinging()
		w.comes(late, offer())
		require.Equal(w, "nothing", late.heard(), "it is over")
		require.NoError(w, other.Close(w.Context()))
		require.Equal(w, calls.PhaseCompleted, w.store.state(cameIn).Phase)
	})
}

func TestACallerGivesUp(t *testing.T) {
	callsComeIn(t, func(w *dialerWorld) {
		r := newRinging()
		r.facts <- calls.Fact{Kind: calls.FactHungUp, At: time.Now()}
		w.comes(r, offer())
		require.Equal(w, []string{"0 ringing", "0 failed Temporarily Unavailable: 487 Request Terminated"}, w.store.story(cameIn))
		require.Equal(w, "180", r.heard())
	})
}

func TestAnAnswerThatDoesNotArrive(t *testing.T) {
	callsComeIn(t, func(w *dialerWorld) {
		r := newRinging()
		r.deaf = errors.New("the caller is gone")
		w.comes(r, offer())
		require.Equal(w, "0 completed Gateway-disconnected after 0", w.store.story(cameIn)[2])
		require.Equal(w, 1, r.hungUp)
	})
}

// Given a log that does not say what became of an event, then nobody is told that the call is taken,
// and the lease ends what may be there.
func TestACallThatCannotBePutDown(t *testing.T) {
	for _, at := range []string{"arrived", "answered"} {
		callsComeIn(t, func(w *dialerWorld) {
			r := newRinging()
			w.store.Fail(memory.Faults{Append: func(commit []*eventstore.Record) error {
				if strings.Contains(commit[0].Type, at) {
					return fault.New(fault.NotExecuted, "the log is away")
				}
				return nil
			}})
			w.comes(r, offer())
			w.pass(time.Minute)
			require.True(w, strings.HasSuffix(r.heard(), "503 Service Unavailable"), r.heard())
			w.store.Fail(memory.Faults{})
			require.NoError(w, w.dialer.Expire(w.Context(), cameIn, time.Now()))
			require.NotEqual(w, calls.PhaseAnswered, w.store.state(cameIn).Phase)
		})
	}
}

func TestANodeThatStopsEndsTheCallsThatCameIn(t *testing.T) {
	callsComeIn(t, func(w *dialerWorld) {
		r, late := newRinging(), newRinging()
		w.comes(r, offer())
		require.NoError(w, w.dialer.Close(w.Context()))
		require.Equal(w, []any{calls.PhaseCompleted, 1}, []any{w.store.state(cameIn).Phase, r.hungUp})
		w.comes(late, offer(func(o *calls.Offer) { o.ProviderID = "another" }))
		require.Equal(w, "503 Service Unavailable", late.heard())
	})
}

// lateSources take their time to find an agent.
type lateSources struct {
	sources
	take time.Duration
}

func (s lateSources) Named(ctx context.Context, tenant, project, name string) ([]runtime.Agent, error) {
	time.Sleep(s.take)
	return s.sources.Named(ctx, tenant, project, name)
}

// Given a call that rings for most of its lease, when it is answered, then it is trusted for a lease from there on: no other node takes it
// for one that is lost.
func TestACallThatRingsLongIsNotLost(t *testing.T) {
	callsComeIn(t, func(w *dialerWorld) {
		r := newRinging()
		w.comes(r, offer())
		w.pass(6500 * time.Millisecond)
		require.Equal(w, "180, 200", r.heard())
		for range 20 {
			w.pass(500 * time.Millisecond)
			require.False(w, w.store.state(cameIn).Expired(time.Now()))
		}
		r.facts <- calls.Fact{Kind: calls.FactHungUp, At: time.Now()}
	}, func(c *voice.DialerConfig) {
		c.Lease, c.Agents.Copies = 9*time.Second, lateSources{sources{"asker": asker}, 7 * time.Second}
	})
}
