package reactors

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"testing"
	"time"

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
				require.EqualError(t, err, "not thirteen")
			} else {
				require.NoError(t, err)
			}
		})
	}
	running.Go(func() { require.NoError(t, command(t.Context(), "other", 1)) })
	<-began
	<-began
	gaveUp, cancel := context.WithTimeout(t.Context(), 10*time.Millisecond)
	defer cancel()
	require.ErrorIs(t, command(gaveUp, "one", 99), context.DeadlineExceeded)
	time.Sleep(50 * time.Millisecond) // the others have come
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
			require.ErrorIs(t, err, lost)
		})
	}
	running.Wait()
}
