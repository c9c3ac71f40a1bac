package reactors

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/parley-platform/parley/domain/event"
	"github.com/parley-platform/parley/domain/pacing"
	"github.com/parley-platform/parley/eventstore"
)

func TestCommandsThatWaitForTheLinesShareACommit(t *testing.T) {
	var all paces
	var mu sync.Mutex
	commits, said := map[string]int{}, map[string]int{}
	began, hold := make(chan struct{}, 10), make(chan struct{})
	execute := func(ctx context.Context, cmd eventstore.Command, decide func(pacing.State) ([]event.Payload, error)) error {
		began <- struct{}{}
		<-hold
		_, _ = decide(pacing.State{}) // the first try loses
		events, err := decide(pacing.State{})
		mu.Lock()
		defer mu.Unlock()
		commits[cmd.CorrelationID]++
		for _, e := range events {
			said[e.(pacing.RunFinished).InstanceID]++
		}
		return err
	}
	command := func(ctx context.Context, correlation string, number int) error {
		return all.do(ctx, eventstore.Command{Tenant: "acme", CorrelationID: correlation}, func(pacing.State) ([]event.Payload, error) {
			if number == 13 {
				return nil, errors.New("not thirteen")
			}
			return []event.Payload{pacing.RunFinished{InstanceID: fmt.Sprint(correlation, number)}}, nil
		}, execute)
	}
	var running sync.WaitGroup
	for number := range 40 {
		running.Go(func() {
			err := command(t.Context(), "one", number)
			if number == 13 {
				assert.EqualError(t, err, "not thirteen")
			} else {
				assert.NoError(t, err)
			}
		})
	}
	running.Go(func() { assert.NoError(t, command(t.Context(), "other", 1)) })
	<-began
	<-began
	gaveUp, cancel := context.WithCancel(t.Context())
	cancel()
	require.ErrorIs(t, command(gaveUp, "one", 99), context.Canceled)
	require.Eventually(t, func() bool {
		all.mu.Lock()
		defer all.mu.Unlock()
		return all.queues[pacesOf{"acme", "one", ""}].users == 40
	}, 10*time.Second, time.Millisecond, "the others have come")
	close(hold)
	running.Wait()

	require.Len(t, said, 40, "all but the thirteenth and the one that gave up, and the other request")
	for of, times := range said {
		require.Equal(t, 1, times, of)
	}
	require.Equal(t, 1, commits["other"])
	require.LessOrEqual(t, commits["one"], 3, "the first, and then those that waited")
	require.Empty(t, all.queues)
}

// One whose commit fails tells everybody whose commit it was to be.
func TestACommitThatFailsFailsForAll(t *testing.T) {
	var all paces
	lost := errors.New("the log is away")
	var running sync.WaitGroup
	for range 5 {
		running.Go(func() {
			err := all.do(t.Context(), eventstore.Command{}, func(pacing.State) ([]event.Payload, error) { return nil, nil },
				func(context.Context, eventstore.Command, func(pacing.State) ([]event.Payload, error)) error {
					return lost
				})
			assert.ErrorIs(t, err, lost)
		})
	}
	running.Wait()
}

// One that panics, which its reactor survives, holds nobody up for ever.
func TestACommandThatPanicsLeavesTheLinesToOthers(t *testing.T) {
	var all paces
	execute := func(_ context.Context, _ eventstore.Command, decide func(pacing.State) ([]event.Payload, error)) error {
		_, err := decide(pacing.State{})
		return err
	}
	began, hold := make(chan struct{}), make(chan struct{})
	var running sync.WaitGroup
	running.Go(func() {
		assert.Panics(t, func() {
			_ = all.do(t.Context(), eventstore.Command{}, func(pacing.State) ([]event.Payload, error) {
				close(began)
				<-hold
				panic("a fault of ours")
			}, execute)
		})
	})
	<-began
	running.Go(func() {
		assert.NoError(t, all.do(t.Context(), eventstore.Command{}, func(pacing.State) ([]event.Payload, error) { return nil, nil }, execute))
	})
	close(hold)
	running.Wait()
	require.Empty(t, all.queues)
}

// One whose time is over leaves what waits to those who still have some: its commit
// would fail for all of them.
func TestWhoHasGivenUpMakesNoCommit(t *testing.T) {
	var all paces
	q := all.enter(pacesOf{}, &waitingPace{})
	q.slot <- struct{}{}
	ended, cancel := context.WithCancel(t.Context())
	cancel()
	all.lead(ended, q, func(ctx context.Context, _ eventstore.Command, _ func(pacing.State) ([]event.Payload, error)) error {
		return ctx.Err()
	})
	require.Len(t, q.waiting, 1)
	require.Empty(t, q.slot, "the slot is free")
}
