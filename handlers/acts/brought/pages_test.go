package brought_test

import (
	"context"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/parley-platform/parley/domain/calls"
	"github.com/parley-platform/parley/domain/channels"
	"github.com/parley-platform/parley/eventstore"
	"github.com/parley-platform/parley/handlers/acts"
	"github.com/parley-platform/parley/handlers/acts/brought"
	"github.com/parley-platform/parley/handlers/acts/takers"
	"github.com/parley-platform/parley/handlers/reactors/reactorstest"
)

// anybody takes all calls.
type anybody struct{}

func (anybody) Find(context.Context, takers.Want) (*takers.Agent, error) {
	return &takers.Agent{Name: "ann"}, nil
}

// Given a page, or a pipeline, whose call is answered, when its node dies before it takes the line, then another may have it for as long as
// calls outlive their node, and then it is over, as of its answer.
func TestThePageOfANodeThatDiedBeforeItTookTheLine(t *testing.T) {
	at := time.Date(2026, 11, 26, 12, 0, 0, 0, time.UTC)
	w := reactorstest.New(t, at)
	x := brought.Calls{Agents: anybody{}, Log: acts.Log{Store: w.Store, Now: func() time.Time { return at }}}
	by := acts.Caller{Command: eventstore.Command{Tenant: "acme", Actor: "page:s_s-1", RequestID: "r-1"}}
	page, err := x.AnswerPage(t.Context(), by, brought.Page{GrantID: "g-1", TenantID: "acme", ProjectID: "a-1", SessionID: "s-1"})
	require.NoError(t, err)
	by.RequestID = "r-2"
	pipeline, err := x.Answer(t.Context(), by, x.OfPipeline(channels.Connection{ID: "cn-1", TenantID: "acme", ProjectID: "a-1"}, "p-1", "p-1"),
		channels.Call{})
	require.NoError(t, err)
	for _, s := range []calls.State{page, pipeline} {
		over(t, s, at, 15*time.Second)
	}
}

// Given a call of Twilio's that is answered, in whichever words it was told of, when Twilio does not open its stream, then it is over
// a minute later, as of its answer.
func TestACallWhoseStreamIsNotOpened(t *testing.T) {
	at := time.Date(2026, 11, 26, 12, 0, 0, 0, time.UTC)
	for _, status := range []calls.Told{calls.ToldRinging, calls.ToldInProgress} {
		w := reactorstest.New(t, at)
		x := brought.Calls{Agents: anybody{}, Log: acts.Log{Store: w.Store, Now: func() time.Time { return at }}}
		told := channels.Call{ProviderID: "CA1", Person: "+15550000001", OurNumber: "+15550100", Direction: calls.Inbound, Status: status,
			Raw: string(status)}
		s, err := x.Answer(t.Context(), acts.Caller{Command: eventstore.Command{Tenant: "acme", Actor: "channel", RequestID: "r-1"}},
			x.Of(channels.Connection{ID: "cn-1", TenantID: "acme", ProjectID: "a-1"}, told), told)
		require.NoError(t, err)
		over(t, s, at, time.Minute)
	}
}

// over wants an answered call to have its line in time, or to end.
func over(t *testing.T, s calls.State, at time.Time, within time.Duration) {
	t.Helper()
	require.True(t, s.Answered())
	later := at.Add(within - time.Second)
	require.False(t, s.Expired(later))
	taken, err := calls.TakeLine{Try: "t", StreamID: "g-1", Node: "n-2", At: later, LeaseUntil: later.Add(15 * time.Second)}.Decide(s)
	require.NoError(t, err)
	require.NotEmpty(t, taken)
	require.True(t, s.Expired(at.Add(within)))
	ended, err := calls.ExpireLease{At: at.Add(within)}.Decide(s)
	require.NoError(t, err)
	require.Equal(t, []any{at, calls.ByGateway}, []any{ended[0].(calls.Completed).At, ended[0].(calls.Completed).By})
}
