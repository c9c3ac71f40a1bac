package acts_test

import (
	"context"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/parley-platform/parley/domain/deployables"
	"github.com/parley-platform/parley/domain/fault"
	"github.com/parley-platform/parley/eventstore"
	"github.com/parley-platform/parley/eventstore/memory"
	"github.com/parley-platform/parley/handlers/acts"
	"github.com/parley-platform/parley/handlers/acts/actstest"
)

var lookup = deployables.ToolDefined{TenantID: "acme", ProjectID: "shop", ToolID: "lookup", Name: "Look up", Type: deployables.ToolHTTP,
	Settings: deployables.Settings{URL: "https://api.example.com", Method: "GET"}, Version: 3}

func TestADeploymentIsCarriedOutWhileItsCallerWaits(t *testing.T) {
	w := actstest.New(t)
	actstest.Given(w, deployables.Docks, deployables.Stream("acme", "shop"), lookup)
	deploy := acts.Deploy{Log: w.Acting()}
	for range 2 { // a repeat is answered as the first
		res, err := deploy.Do(w.Context(), actstest.Ada("key"), deployables.Tool, "lookup", true)
		require.NoError(t, err)
		require.NoError(t, res.Left)
		require.Equal(t, deployables.Success, res.State.Status)
		require.Equal(t, 3, res.State.Version)
	}
	require.Len(t, actstest.Events(w, deployables.Docks.Category, deployables.Stream("acme", "shop")), 2,
		"what was defined, and one deployment")
}

func TestADeploymentNobodyWaitsForIsTheReactors(t *testing.T) {
	w := actstest.New(t)
	actstest.Given(w, deployables.Docks, deployables.Stream("acme", "shop"), lookup)
	deploy := acts.Deploy{Log: w.Acting()}
	res, err := deploy.Do(w.Context(), actstest.Ada("key"), deployables.Tool, "lookup", false)
	require.NoError(t, err)
	require.Equal(t, deployables.InProgress, res.State.Status)
	for range 2 { // the event comes twice
		require.NoError(t, deploy.Carry(w.Context(), res.State.Requested))
	}
	again, err := deploy.Do(w.Context(), actstest.Ada("key"), deployables.Tool, "lookup", false)
	require.NoError(t, err)
	require.Equal(t, deployables.InProgress, again.State.Status, "a repeat hears the first result; the job says how it stands")
	require.True(t, again.Replayed)
	require.Len(t, actstest.Events(w, deployables.Docks.Category, deployables.Stream("acme", "shop")), 2)
}

func TestWhatCannotBeDeployedEndsTheJobWithTheReason(t *testing.T) {
	w := actstest.New(t)
	res, err := acts.Deploy{Log: w.Acting()}.Do(w.Context(), actstest.Ada(""), deployables.Tool, "gone", true)
	require.NoError(t, err)
	require.NoError(t, res.Left)
	require.Equal(t, deployables.Failed, res.State.Status)
	require.Equal(t, "the tool gone is not defined any more", res.State.Reason)
}

// Whoever wants an early answer and whoever waits want two things: waiting counts.
func TestAnEarlyAnswerSaysThatTheJobIsUnderWay(t *testing.T) {
	w := actstest.New(t)
	actstest.Given(w, deployables.Docks, deployables.Stream("acme", "shop"), lookup)
	by := actstest.Ada("")
	by.Early = true
	res, err := acts.Deploy{Log: w.Acting()}.Do(w.Context(), by, deployables.Tool, "lookup", true)
	require.NoError(t, err)
	require.False(t, res.Pending)
	require.Equal(t, deployables.Success, res.State.Status)

	res, err = acts.Deploy{Log: w.Acting()}.Do(w.Context(), by, deployables.Tool, "lookup", false)
	require.NoError(t, err)
	require.True(t, res.Pending)
	require.Equal(t, deployables.InProgress, res.State.Status)
	require.Equal(t, "lookup", res.State.Requested.ID)
}

// A caller waits no longer than for any command, and learns that the job is left to the
// reactor, and why.
func TestADeploymentThatCannotFinishIsLeftToTheReactor(t *testing.T) {
	away := fault.New(fault.NotExecuted, "no leader")
	onDocks := func(fail func() error) func([]*eventstore.Record) error {
		return func(commit []*eventstore.Record) error {
			if commit[0].Topic == deployables.Docks.Topic() {
				return fail()
			}
			return nil
		}
	}
	for name, fail := range map[string]func(context.Context) error{
		"the log is away":       func(context.Context) error { return away },
		"nothing becomes known": func(ctx context.Context) error { <-ctx.Done(); return away },
	} {
		synctest.Test(t, func(t *testing.T) {
			w := actstest.New(t)
			ctx, end := context.WithTimeout(w.Context(), time.Minute)
			defer end()
			actstest.Given(w, deployables.Docks, deployables.Stream("acme", "shop"), lookup)
			by := actstest.Ada("")
			by.Within = 12 * time.Second
			started := time.Now()
			w.Log.Fail(memory.Faults{Append: onDocks(func() error { return fail(ctx) })})
			res, err := acts.Deploy{Log: w.Acting()}.Do(ctx, by, deployables.Tool, "lookup", true)
			require.NoError(t, err, name)
			require.Error(t, res.Left, name)
			require.Equal(t, deployables.InProgress, res.State.Status, name)
			require.LessOrEqual(t, time.Since(started), by.Within, name)
		})
	}
}
