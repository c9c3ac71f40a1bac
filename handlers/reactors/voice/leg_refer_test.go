package voice_test

import (
	"context"
	"errors"
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/parley-platform/parley/domain/calls"
	"github.com/parley-platform/parley/handlers/reactors/voice"
)

// referWire is a line whose other side calls people itself.
type referWire struct {
	*soundWire
	asked  []string
	answer int
	fails  error
}

func (*referWire) Refers() bool { return true }

func (r *referWire) Refer(_ context.Context, target, _ string) (int, string, error) {
	r.asked = append(r.asked, target)
	return r.answer, "", r.fails
}

// transferredFact is what came of asking the other side for the person of the transfer t-1.
func transferredFact(code int) calls.Fact {
	return calls.Fact{Kind: calls.FactTransferred, At: time.Now(), ID: "t-1", Code: code, Phrase: map[int]string{200: "OK"}[code]}
}

// unnamed is a fact of what a node before asked for.
func unnamed(f calls.Fact) calls.Fact {
	f.ID = ""
	return f
}

// Given a trunk that calls people, when a person is to be on the line, then it is asked, and what it tells decides: the call is over when
// they have taken it, goes on when they have not, and is bridged where the trunk does not do so, or says nothing.
func TestATrunkCallsAPerson(t *testing.T) {
	const over = "Bot-disconnected: the trunk has the call, for a person"
	for name, c := range map[string]struct {
		answer int
		fails  error
		tells  func(w *dialerWorld, tell func(int))
		want   []string // what came of the transfer, and of the call
		dials  int      // of ours
	}{
		"taken":     {202, nil, func(_ *dialerWorld, tell func(int)) { tell(180); tell(200) }, []string{"200 OK refer", over}, 1},
		"not taken": {202, nil, func(_ *dialerWorld, tell func(int)) { tell(180); tell(486) }, []string{"486 Busy Here refer"}, 1},
		"rung and not answered": {202, nil, func(w *dialerWorld, tell func(int)) { tell(180); w.pass(31 * time.Second) },
			[]string{"487 Request Terminated refer"}, 1},
		"taken too late": {202, nil, func(w *dialerWorld, tell func(int)) { tell(180); w.pass(31 * time.Second); tell(200) },
			[]string{"487 Request Terminated refer", over}, 1},
		"never told":    {202, nil, func(w *dialerWorld, _ func(int)) { w.pass(31 * time.Second) }, []string{"200 OK"}, 2},
		"tells no more": {202, nil, func(_ *dialerWorld, tell func(int)) { tell(100); tell(0) }, []string{"200 OK"}, 2},
		"rings, and tells no more": {202, nil, func(_ *dialerWorld, tell func(int)) { tell(180); tell(0) },
			[]string{"487 Request Terminated refer"}, 1},
		"told many": {202, nil, func(_ *dialerWorld, tell func(int)) {
			for range 9 {
				tell(180)
			}
			tell(200)
		}, []string{"200 OK refer", over}, 1},
		"refused":        {603, nil, func(*dialerWorld, func(int)) {}, []string{"200 OK"}, 2},
		"not answered":   {0, errors.New("no answer"), func(*dialerWorld, func(int)) {}, []string{"200 OK"}, 2},
		"bridged, later": {202, nil, func(w *dialerWorld, tell func(int)) { w.pass(31 * time.Second); tell(200) }, []string{"200 OK", over}, 2},
	} {
		t.Run(name, func(t *testing.T) {
			inVirtualTime(t, 1, func(w *dialerWorld) {
				line := &referWire{soundWire: &soundWire{wire: newWire()}, answer: c.answer, fails: c.fails}
				person := &soundWire{wire: newWire()}
				person.facts <- fact(calls.FactEstablished) // at once, if they are called
				w.wants(line.wire, "tel:+15550000009", line, person)
				c.tells(w, func(code int) {
					line.facts <- transferredFact(code)
					w.pass(time.Second)
				})
				w.pass(time.Second)
				require.Equal(w, []string{"tel:+15550000009"}, line.asked)
				require.Equal(w, c.want, w.store.outcome("c1"))
				require.Equal(w, c.dials, w.carrier.dials())
				if c.dials == 2 {
					require.Equal(w, []string{"Wants to pay."}, person.said)
				}
				line.facts <- fact(calls.FactHungUp)
			})
		})
	}
}

// Given a caller who hangs up while the trunk calls the person, then nothing is told of the transfer.
func TestACallerHangsUpWhileTheTrunkCalls(t *testing.T) {
	inVirtualTime(t, 1, func(w *dialerWorld) {
		line := &referWire{soundWire: &soundWire{wire: newWire()}, answer: 202}
		w.carrier.legs = func() voice.Leg { return line }
		w.place("c1")
		line.facts <- calls.Fact{Kind: calls.FactAnswered, At: time.Now()}
		w.pass(time.Second)
		line.facts <- transferredFact(200) // nobody asked
		w.store.do(w.T, "c1", "", calls.CallPerson{TransferID: "t-1", ClaimID: "t-1-1", Target: "tel:+15550000009", At: time.Now()}.Decide)
		w.pass(11 * time.Second)
		line.facts <- fact(calls.FactHungUp)
		w.pass(time.Minute)
		require.Equal(w, []string{fmt.Sprint(calls.ReasonCallerDisconnected, ": the callee hung up")}, w.store.outcome("c1"))
	})
}

// referred is whether the trunk was asked to call the person of a call, in order.
func (m *memoryCalls) referred(callID string) (lines []string) {
	for _, e := range m.events(callID) {
		if r, is := e.(calls.PersonReferred); is {
			lines = append(lines, map[bool]string{false: "asked", true: "over"}[r.Over])
		}
	}
	return lines
}

// Given a trunk that was asked to call a person when the node was lost, then the next node calls nobody beside it: what the trunk tells
// decides, and where it tells nothing, they have not come.
func TestATrunkCallsAPersonWhileItsNodeIsLost(t *testing.T) {
	const over = "Bot-disconnected: the trunk has the call, for a person"
	for name, c := range map[string]struct {
		before []int // that the trunk told the node that is lost
		behind []int // and the next
		want   []string
	}{
		"taken":              {nil, []int{200}, []string{"200 OK refer", over}},
		"rings, and taken":   {[]int{180}, []int{180, 200}, []string{"200 OK refer", over}},
		"not taken":          {nil, []int{486}, []string{"486 Busy Here refer"}},
		"never told":         {nil, nil, []string{"487 Request Terminated refer"}},
		"does not know":      {nil, []int{0}, []string{"487 Request Terminated refer"}},
		"told twice, 100":    {nil, []int{100, 100, 200}, []string{"200 OK refer", over}},
		"rang, never told":   {[]int{180}, nil, []string{"487 Request Terminated refer"}},
		"taken, very late":   {nil, []int{-1, 200}, []string{"487 Request Terminated refer", over}},
		"not taken, and 200": {nil, []int{603, 200}, []string{"603 Decline refer", over}},
	} {
		t.Run(name, func(t *testing.T) {
			onTwoNodes(t, func(n *twoNodes) {
				first, next := &referWire{soundWire: &soundWire{wire: n.first.wire}, answer: 202},
					&referWire{soundWire: &soundWire{wire: n.second}, answer: 202}
				n.first.peer, n.first.line, n.at.line = first, first.soundWire, next
				n.store.do(n.T, "c1", "", calls.CallPerson{TransferID: "t-1", ClaimID: "t-1-1", Target: "tel:+15550000009",
					At: time.Now()}.Decide)
				n.pass(11 * time.Second)
				require.Equal(n, []string{"tel:+15550000009"}, first.asked)
				for _, code := range c.before {
					first.facts <- transferredFact(code)
				}
				n.gone()
				require.True(n, n.at.asked[len(n.at.asked)-1].Referred, "its carrier listens for what comes of it")
				for _, code := range c.behind {
					if code < 0 {
						n.pass(31 * time.Second)
						continue
					}
					next.facts <- unnamed(transferredFact(code))
				}
				n.pass(31 * time.Second)
				require.Equal(n, c.want, n.store.outcome("c1"))
				require.Equal(n, []string{"asked"}, n.store.referred("c1"))
				require.Empty(n, next.asked)
				require.Equal(n, 1, n.carrier.dials(), "nobody else is rung")
				next.facts <- fact(calls.FactHungUp)
			})
		})
	}
}

// Given a node that is lost between the outcome of a REFER and the end of its leg, then the next one ends that, and calls nobody.
func TestATrunkHasTheCallWhenItsNodeIsLost(t *testing.T) {
	onTwoNodes(t, func(n *twoNodes) {
		first := &referWire{soundWire: &soundWire{wire: n.first.wire}, answer: 202}
		n.first.peer = first
		n.store.do(n.T, "c1", "", calls.CallPerson{TransferID: "t-1", ClaimID: "t-1-1", Target: "tel:+15550000009", At: time.Now()}.Decide)
		n.pass(11 * time.Second)
		n.store.do(n.T, "c1", "", calls.TransferLeg{TransferID: "t-1", Code: 200, Phrase: "OK", By: calls.ByRefer, At: time.Now()}.Decide)
		n.gone()
		require.Equal(n, []string{"200 OK refer", "Bot-disconnected: the trunk has the call, for a person"}, n.store.outcome("c1"))
		require.Equal(n, []int{1, 1}, []int{n.second.hungUp, n.carrier.dials()})
	})
}

// Given a trunk that does not call people, when the node is lost while it calls one itself, then the next node calls them, and does not
// ask the trunk again.
func TestATrunkThatCallsNobodyIsNotAskedAgain(t *testing.T) {
	onTwoNodes(t, func(n *twoNodes) {
		first, next := &referWire{soundWire: &soundWire{wire: n.first.wire}, answer: 603},
			&referWire{soundWire: &soundWire{wire: n.second}, answer: 202}
		n.first.peer, n.first.line, n.at.line = first, first.soundWire, next
		rung, person := &soundWire{wire: newWire()}, &soundWire{wire: newWire()}
		n.carrier.legs = func() voice.Leg { return rung }
		n.store.do(n.T, "c1", "", calls.CallPerson{TransferID: "t-1", ClaimID: "t-1-1", Target: "tel:+15550000009", At: time.Now()}.Decide)
		n.pass(11 * time.Second)
		require.Equal(n, []string{"asked", "over"}, n.store.referred("c1"))
		n.carrier.legs = func() voice.Leg { return person }
		n.gone()
		person.facts <- fact(calls.FactEstablished)
		n.pass(time.Second)
		require.Empty(n, next.asked)
		require.Equal(n, []string{"200 OK"}, n.store.outcome("c1"))
		person.facts <- fact(calls.FactHungUp)
	})
}

// attendWire is a line whose other side takes over people who are on another leg.
type attendWire struct {
	*soundWire
	taken  []any
	answer int
	fails  error
}

func (*attendWire) Attends() bool { return true }

func (a *attendWire) ReferTo(_ context.Context, other any, _ string) (int, string, error) {
	a.taken = append(a.taken, other)
	return a.answer, "", a.fails
}

// Given a trunk that joins two calls itself, when a person knows what a call is about, then it is asked to, and the call is over here when
// it has; where it does not, or does not say so, they talk by us, and nobody is called twice.
func TestATrunkTakesAPersonOver(t *testing.T) {
	const over = "Bot-disconnected: the trunk has the call, for a person"
	const parted = "Bot-disconnected: the person hung up"
	for name, c := range map[string]struct {
		answer int
		fails  error
		tells  func(w *dialerWorld, tell func(int), person *soundWire)
		want   []string
		joined bool
	}{
		"joined": {202, nil, func(_ *dialerWorld, tell func(int), _ *soundWire) { tell(100); tell(200) }, []string{"200 OK refer", over}, false},
		"joined, and they are hung up before that is told": {202, nil, func(_ *dialerWorld, tell func(int), p *soundWire) {
			p.facts <- fact(calls.FactHungUp)
			tell(200)
		}, []string{"200 OK refer", over}, false},
		"the person hangs up": {202, nil, func(_ *dialerWorld, tell func(int), p *soundWire) {
			p.facts <- fact(calls.FactHungUp)
			tell(481)
		}, []string{"603 Decline"}, false},
		"refused":      {603, nil, func(*dialerWorld, func(int), *soundWire) {}, []string{"200 OK", parted}, true},
		"not answered": {0, errors.New("no answer"), func(*dialerWorld, func(int), *soundWire) {}, []string{"200 OK", parted}, true},
		"not joined":   {202, nil, func(_ *dialerWorld, tell func(int), _ *soundWire) { tell(486) }, []string{"200 OK", parted}, true},
		"not told":     {202, nil, func(_ *dialerWorld, tell func(int), _ *soundWire) { tell(0) }, []string{"200 OK", parted}, true},
		"never told": {202, nil, func(w *dialerWorld, _ func(int), _ *soundWire) { w.pass(31 * time.Second) },
			[]string{"200 OK", parted}, true},
	} {
		t.Run(name, func(t *testing.T) {
			inVirtualTime(t, 1, func(w *dialerWorld) {
				line := &attendWire{soundWire: &soundWire{wire: newWire()}, answer: c.answer, fails: c.fails}
				person := &soundWire{wire: newWire()}
				person.facts <- fact(calls.FactEstablished)
				w.wants(line.wire, "tel:+15550000009", line, person)
				require.Equal(w, []string{"Wants to pay."}, person.said)
				c.tells(w, func(code int) {
					line.facts <- transferredFact(code)
					w.pass(time.Second)
				}, person)
				w.pass(time.Second)
				require.Equal(w, []any{person}, line.taken)
				require.Equal(w, 2, w.carrier.dials())
				if c.joined {
					require.Same(w, person, line.joined())
					require.Equal(w, []string{"asked", "over"}, w.store.referred("c1"))
					person.facts <- fact(calls.FactHungUp)
					w.pass(time.Second)
				} else {
					require.Nil(w, line.joined())
				}
				require.Equal(w, c.want, w.store.outcome("c1"))
				line.facts <- fact(calls.FactHungUp)
			})
		})
	}
}

// Given a trunk that was asked to take a person over, when their transfer is over before it has told, then they are hung up, and what it
// tells then ends nothing.
func TestATrunkTakesAPersonOverWhoseTransferIsOver(t *testing.T) {
	inVirtualTime(t, 1, func(w *dialerWorld) {
		line := &attendWire{soundWire: &soundWire{wire: newWire()}, answer: 202}
		person := &soundWire{wire: newWire()}
		person.facts <- fact(calls.FactEstablished)
		w.wants(line.wire, "tel:+15550000009", line, person)
		require.Len(w, line.taken, 1)
		w.store.do(w.T, "c1", "", calls.FreePerson{TransferID: "t-1", At: time.Now()}.Decide)
		w.pass(11 * time.Second)
		require.Equal(w, 1, person.hungUp)
		line.facts <- transferredFact(200)
		w.pass(time.Minute)
		require.Equal(w, []any{[]string(nil), 0, 1}, []any{w.store.outcome("c1"), line.hungUp, w.dialer.Legs()}, "the call goes on")
		line.facts <- fact(calls.FactHungUp)
	})
}

// Given a trunk that was asked to call a person, when another one is wanted before it has told what came of that, then nothing takes the
// request back, and what it still tells decides nothing: the other person is called here, and has the call.
func TestATrunkTellsOfAPersonWhoIsNotWantedAnyMore(t *testing.T) {
	for name, tells := range map[string][]int{"taken": {180, 200}, "not taken": {486}, "nothing": nil} {
		t.Run(name, func(t *testing.T) {
			inVirtualTime(t, 1, func(w *dialerWorld) {
				line := &referWire{soundWire: &soundWire{wire: newWire()}, answer: 202}
				second := &soundWire{wire: newWire()}
				w.wants(line.wire, "tel:+15550000009", line, second)
				require.Equal(w, []string{"tel:+15550000009"}, line.asked)
				line.fails = errors.New("it was asked already, and has not told")
				w.wanted("c1", calls.CallPerson{TransferID: "t-2", ClaimID: "t-2-1", Target: "tel:+15550000010"})
				w.pass(11 * time.Second)
				require.Equal(w, 2, w.carrier.dials())
				for _, code := range tells { // while the second telephone rings
					line.facts <- transferredFact(code)
					w.pass(time.Second)
				}
				if tells == nil { // for longer than anybody waits for it
					w.pass(21 * time.Second)
				}
				second.facts <- fact(calls.FactEstablished)
				w.pass(time.Second)
				line.facts <- transferredFact(200) // and when they talk
				w.pass(time.Minute)
				require.Same(w, second, line.joined())
				require.Equal(w, []any{[]string{"200 OK"}, 2, 0, 0}, []any{w.store.outcome("c1"), w.carrier.dials(), line.hungUp, second.hungUp})
				require.Equal(w, []string{"asked", "asked", "over"}, w.store.referred("c1"))
				second.facts <- fact(calls.FactHungUp)
			})
		})
	}
}

// Given a trunk that has told of one person, then what it tells once more of them is not taken for what came of the next.
func TestATrunkTellsOfEachPersonByThemselves(t *testing.T) {
	inVirtualTime(t, 1, func(w *dialerWorld) {
		line := &referWire{soundWire: &soundWire{wire: newWire()}, answer: 202}
		w.wants(line.wire, "tel:+15550000009", line)
		line.facts <- transferredFact(486)
		w.pass(time.Second)
		w.wanted("c1", calls.CallPerson{TransferID: "t-2", ClaimID: "t-2-1", Target: "tel:+15550000010"})
		w.pass(11 * time.Second)
		require.Equal(w, []string{"tel:+15550000009", "tel:+15550000010"}, line.asked)
		line.facts <- transferredFact(200)
		w.pass(time.Second)
		require.Equal(w, []string{"486 Busy Here refer"}, w.store.outcome("c1"))
		of := transferredFact(603)
		of.ID = "t-2"
		line.facts <- of
		w.pass(time.Second)
		require.Equal(w, []string{"486 Busy Here refer", "603 Decline refer"}, w.store.outcome("c1"))
		line.facts <- fact(calls.FactHungUp)
	})
}

// Given a trunk that calls a person whose transfer is over, then nobody is called here in its place, and what it tells of them is nothing,
// also that they have taken the call, and where that comes before the leg has heard of the end; if it has the call, it hangs up.
func TestATrunkCallsAPersonWhoseTransferIsOver(t *testing.T) {
	for name, c := range map[string]struct {
		tells int // 0: it does not
		early bool
	}{
		"it says nothing": {}, "they do not come": {tells: 486}, "they take it": {tells: 200}, "at once": {tells: 200, early: true},
	} {
		t.Run(name, func(t *testing.T) {
			inVirtualTime(t, 1, func(w *dialerWorld) {
				line := &referWire{soundWire: &soundWire{wire: newWire()}, answer: 202}
				w.wants(line.wire, "tel:+15550000009", line)
				w.store.do(w.T, "c1", "", calls.FreePerson{TransferID: "t-1", At: time.Now()}.Decide)
				if !c.early {
					w.pass(11 * time.Second)
				}
				if c.tells != 0 {
					line.facts <- transferredFact(c.tells)
				}
				w.pass(time.Minute)
				require.Equal(w, []int{1, 0, 1}, []int{w.carrier.dials(), line.hungUp, w.dialer.Legs()}, "the call goes on")
				require.Equal(w, []string{"asked"}, w.store.referred("c1"))
				line.facts <- fact(calls.FactHungUp)
				w.pass(time.Second)
				require.Equal(w, []string{"Caller-disconnected: the callee hung up"}, w.store.outcome("c1"))
			})
		})
	}
}
