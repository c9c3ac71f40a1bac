package driving_test

import (
	"cmp"
	"context"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"github.com/parley-platform/parley/domain/event"
	"github.com/parley-platform/parley/domain/fault"
	"github.com/parley-platform/parley/domain/sessions"
	"github.com/parley-platform/parley/domain/turns"
	"github.com/parley-platform/parley/eventstore"
	"github.com/parley-platform/parley/handlers/acts"
	"github.com/parley-platform/parley/handlers/acts/actstest"
	"github.com/parley-platform/parley/handlers/acts/driving"
)

// old are sources that only another version of the server takes.
type old struct{}

func (old) Sources(_ context.Context, _, _ string, hashes []string) (map[string]string, error) {
	return map[string]string{hashes[0]: "DSL: 1\nAGENT: shop\nGOAL: Sell.\nMAGIC: true\n"}, nil
}

func nobodyLives(context.Context, string) (bool, error) { return false, nil }

func running(w *actstest.World, claimed sessions.Claimed) (stream string) {
	stream = sessions.Sessions.Stream("s-1")
	in := sessions.InTurn{Turn: 1, At: actstest.Noon}
	actstest.Given(w, sessions.Sessions, stream, event.Payload(sessions.Opened{SessionID: "s-1", TenantID: "acme", ProjectID: "shop",
		Channel: "api", AgentName: "shop", Begun: &sessions.Begun{Manifest: map[string]sessions.Pinned{"shop": {Hash: "h"}}},
		At: actstest.Noon}),
		sessions.MessageReceived{InTurn: in, MessageID: "m-1", Text: "Hi"},
		sessions.CallOpened{InTurn: in, CallID: "c-1", Agent: "shop", Tool: "find", Claimed: claimed, Repeat: true})
	return stream
}

// Given a turn that runs, when its source does not compile on the server that is to go on with it, then
// it ends as one that failed, and says why: by whoever takes it over, and by who makes its calls.
func TestATurnWhoseSourceIsRefusedEnds(t *testing.T) {
	mine := sessions.Claimed{Process: "p-1", Try: "t-1"}
	for name, does := range map[string]func(w *actstest.World, x *driving.Turns, stream string){
		"taken over": func(w *actstest.World, x *driving.Turns, stream string) {
			again, err := x.GoOn(w.Context(), actstest.Ada(""), stream, actstest.Noon)
			require.NoError(w, err)
			require.True(w, again)
			again, err = x.GoOn(w.Context(), actstest.Ada(""), stream, actstest.Noon)
			require.NoError(w, err)
			require.False(w, again, "there is nothing more to do")
		},
		"driven": func(w *actstest.World, x *driving.Turns, stream string) {
			wanted := eventstore.Result[sessions.State]{State: sessions.Sessions.State(actstest.Events(w, sessions.Sessions.Category, stream)...)}
			<-x.Drive(w.Context(), actstest.Ada(""), stream, &wanted, mine).Done
		},
	} {
		t.Run(name, func(t *testing.T) {
			w := actstest.New(t)
			x := &driving.Turns{Log: w.Acting(), Programs: &acts.Programs{Sources: old{}}, Process: "p-2", Lives: nobodyLives}
			stream := running(w, mine)
			does(w, x, stream)
			all := actstest.Events(w, sessions.Sessions.Category, stream)
			ended := all[len(all)-1].(sessions.TurnEnded)
			require.Equal(t, []any{"SOURCE_REFUSED", sessions.Continue}, []any{ended.Failed, ended.Action})
			require.Contains(t, all[len(all)-2].(sessions.Noticed).Detail, "the source of the agent shop does not compile")
			require.Contains(t, all[len(all)-2].(sessions.Noticed).Detail, "MAGIC")
		})
	}
}

// A refused source is no reason to ask again.
func TestARefusedSourceIsFinal(t *testing.T) {
	x := &acts.Programs{Sources: old{}}
	tries := 0
	err := acts.Persist(t.Context(), func() error {
		tries++
		_, err := x.Of(t.Context(), "acme", "shop", map[string]sessions.Pinned{"shop": {Hash: "h"}})
		return err
	})
	require.True(t, fault.Is(err, fault.Unavailable))
	require.Equal(t, 1, tries)
}

// Given people who have a session whose source is refused meanwhile, when they give it back, then they
// have it no more, and its turn has failed.
func TestPeopleGiveBackWhatNobodyCanGoOnWith(t *testing.T) {
	w := actstest.New(t)
	x := &driving.Turns{Log: w.Acting(), Programs: &acts.Programs{Sources: old{}}, Process: "p-2", Lives: nobodyLives}
	stream, in := running(w, sessions.Claimed{}), sessions.InTurn{Turn: 1, At: actstest.Noon.Add(time.Second)}
	wish := sessions.Escalated{InTurn: in, Number: 1, TransferID: "tr-1", By: sessions.ByStep, Agent: "shop", Queue: "q"}
	actstest.Given(w, sessions.Sessions, stream, event.Payload(wish), sessions.TurnEnded{InTurn: in, Action: sessions.ToPeople})
	_, err := x.GiveBack(w.Context(), actstest.Ada(""), stream, turns.GiveBack{TransferID: "tr-1", Failed: true, Reason: "no_agents"})
	require.NoError(t, err)
	all := actstest.Events(w, sessions.Sessions.Category, stream)
	require.Equal(t, "SOURCE_REFUSED", all[len(all)-1].(sessions.TurnEnded).Failed)
	require.Nil(t, sessions.Sessions.State(all...).Talk.People)
}

// pays is the source of an agent that waits for an answer from outside.
type pays struct{}

func (pays) Sources(_ context.Context, _, _ string, hashes []string) (map[string]string, error) {
	return map[string]string{hashes[0]: `DSL: 1
AGENT: shop
TOOLS: {pay: {KIND: callback, METHOD: POST, URL: "https://pay.example.com/", EXPIRES: 30m}}
FLOW: {START: a, STEPS: {a: {CALL: pay, NEXT: b}, b: {SAY: Paid.}}}
`}, nil
}

// waits is a turn of a session that waits for an answer, for an hour.
func waits(w *actstest.World) (x *driving.Turns, stream, callback string) {
	session, call := uuid.NewString(), uuid.NewString()
	stream, in := sessions.Sessions.Stream(session), sessions.InTurn{Turn: 1, At: actstest.Noon}
	actstest.Given(w, sessions.Sessions, stream, event.Payload(sessions.Opened{SessionID: session, TenantID: "acme", ProjectID: "shop",
		Channel: "api", AgentName: "shop", Begun: &sessions.Begun{Manifest: map[string]sessions.Pinned{"shop": {Hash: "h"}}},
		At: actstest.Noon}),
		sessions.MessageReceived{InTurn: in, MessageID: "m-1", Text: "Hi"}, sessions.StepEntered{InTurn: in, Agent: "shop", Step: "a"},
		sessions.CallOpened{InTurn: in, CallID: call, Agent: "shop", Step: "a", Tool: "pay", Later: true,
			Claimed: sessions.Claimed{Process: "p-1", Try: "t-1"}},
		sessions.CallSent{InTurn: in, CallID: call, ExpiresAt: actstest.Noon.Add(time.Hour)})
	x = node(w, actstest.Noon)
	return x, stream, x.CallbackID(session, call)
}

// node is one whose clock stands.
func node(w *actstest.World, at time.Time) *driving.Turns {
	x := &driving.Turns{Log: w.Acting(), Programs: &acts.Programs{Sources: pays{}}, Process: "p-1", Lives: nobodyLives}
	x.Now = func() time.Time { return at }
	return x
}

// Given a turn that waits for an answer, when who brings it goes away while it is taken, then it is taken all the same, and this
// process goes on: else a timer would, seconds later, and hold what writes for done by nobody knows whom.
func TestWhoBringsAnAnswerMayGoAway(t *testing.T) {
	for range 20 { // what has ended and what can be had are chosen from by chance
		w := actstest.New(t)
		x, stream, callback := waits(w)
		ctx, leaves := context.WithCancel(w.Context())
		x.Now = func() time.Time { leaves(); return actstest.Noon } // behind all that is read before it is taken
		by := actstest.Ada("")
		by.Within = time.Minute
		processed, err := x.CallBack(ctx, by, driving.CalledBack{ID: callback, Body: []byte(`{}`)})
		require.NoError(t, err)
		require.True(t, processed)
		all := actstest.Events(w, sessions.Sessions.Category, stream)
		require.IsType(t, sessions.TurnEnded{}, all[len(all)-1])
	}
}

// Given an answer that one node takes at the end of its time, when it comes again to a node for which that is over, and to which the
// first is not known yet, then it came before, and is not too late: who brings it would take back what the agent was told.
func TestAnAnswerThatIsTakenIsNotTooLateElsewhere(t *testing.T) {
	w := actstest.New(t)
	intime, stream, callback := waits(w)
	answer := driving.CalledBack{ID: callback, Body: []byte(`{}`)}
	late, first := node(w, actstest.Noon), false
	late.Now = func() time.Time { // it has read by now that the answer is waited for
		if !first {
			first = true
			processed, err := intime.CallBack(w.Context(), actstest.Ada(""), answer)
			require.NoError(t, err)
			require.True(t, processed)
		}
		return actstest.Noon.Add(time.Hour)
	}
	processed, err := late.CallBack(w.Context(), actstest.Ada(""), answer)
	require.NoError(t, err)
	require.False(t, processed)
	require.Equal(t, "ok", outcomeOf(w, stream))
}

// Given an answer that comes behind its time, before the timer, then it is too late, and the turn goes on with that.
func TestWhoComesTooLateIsNotHeard(t *testing.T) {
	w := actstest.New(t)
	_, stream, callback := waits(w)
	x := node(w, actstest.Noon.Add(time.Hour))
	_, err := x.CallBack(w.Context(), actstest.Ada(""), driving.CalledBack{ID: callback, Body: []byte(`{}`)})
	require.True(t, fault.Is(err, fault.Gone), err)
	require.Equal(t, "CALLBACK_EXPIRED", outcomeOf(w, stream))
}

// Given a node whose clock is behind, when the database says that a callback's time is over, then the turn goes on at once, and not
// when the node would look again.
func TestTheTimeOfACallbackIsTheDatabases(t *testing.T) {
	w := actstest.New(t)
	_, stream, _ := waits(w)
	_, err := node(w, actstest.Noon.Add(time.Hour-time.Second)).GoOn(w.Context(), actstest.Ada(""), stream,
		actstest.Noon.Add(time.Hour))
	require.NoError(t, err)
	require.Equal(t, "CALLBACK_EXPIRED", outcomeOf(w, stream))
}

// outcomeOf is what came of the call that a turn waited for.
func outcomeOf(w *actstest.World, stream string) string {
	for _, e := range actstest.Events(w, sessions.Sessions.Category, stream) {
		if ended, is := e.(sessions.CallEnded); is {
			return cmp.Or(ended.Code, string(ended.Outcome))
		}
	}
	return ""
}
