package driving_test

import (
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
			again, err := x.GoOn(w.Context(), actstest.Ada(""), stream)
			require.NoError(w, err)
			require.True(w, again)
			again, err = x.GoOn(w.Context(), actstest.Ada(""), stream)
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

// Given a turn that waits for an answer, when who brings it goes away while it is taken, then it is taken all the same, and this
// process goes on: else a timer would, seconds later, and hold what writes for done by nobody knows whom.
func TestWhoBringsAnAnswerMayGoAway(t *testing.T) {
	for range 20 { // what has ended and what can be had are chosen from by chance
		w := actstest.New(t)
		session, call := uuid.NewString(), uuid.NewString()
		stream, in := sessions.Sessions.Stream(session), sessions.InTurn{Turn: 1, At: actstest.Noon}
		actstest.Given(w, sessions.Sessions, stream, event.Payload(sessions.Opened{SessionID: session, TenantID: "acme", ProjectID: "shop",
			Channel: "api", AgentName: "shop", Begun: &sessions.Begun{Manifest: map[string]sessions.Pinned{"shop": {Hash: "h"}}},
			At: actstest.Noon}),
			sessions.MessageReceived{InTurn: in, MessageID: "m-1", Text: "Hi"}, sessions.StepEntered{InTurn: in, Agent: "shop", Step: "a"},
			sessions.CallOpened{InTurn: in, CallID: call, Agent: "shop", Step: "a", Tool: "pay", Later: true,
				Claimed: sessions.Claimed{Process: "p-1", Try: "t-1"}},
			sessions.CallSent{InTurn: in, CallID: call, ExpiresAt: actstest.Noon.Add(time.Hour)})
		ctx, leaves := context.WithCancel(w.Context())
		x := &driving.Turns{Log: w.Acting(), Programs: &acts.Programs{Sources: pays{}}, Process: "p-1", Lives: nobodyLives}
		x.Now = func() time.Time { leaves(); return actstest.Noon } // behind all that is read before it is taken
		by := actstest.Ada("")
		by.Within = time.Minute
		processed, err := x.CallBack(ctx, by, driving.CalledBack{ID: x.CallbackID(session, call), Body: []byte(`{}`)})
		require.NoError(t, err)
		require.True(t, processed)
		all := actstest.Events(w, sessions.Sessions.Category, stream)
		require.IsType(t, sessions.TurnEnded{}, all[len(all)-1])
	}
}
