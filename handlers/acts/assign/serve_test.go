package assign_test

import (
	"context"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/parley-platform/parley/domain/event"
	"github.com/parley-platform/parley/domain/fault"
	"github.com/parley-platform/parley/domain/humanagents"
	"github.com/parley-platform/parley/domain/transfers"
	"github.com/parley-platform/parley/domain/waitinglines"
	"github.com/parley-platform/parley/handlers/acts"
	"github.com/parley-platform/parley/handlers/acts/assign"
)

// crowd is a line in which transfers wait of which all is over, and who is free for it.
type crowd struct {
	ports
	line  waitinglines.State
	over  map[string]time.Time // when, by transfer
	free  []transfers.Candidate
	read  []string
	leave []string
}

func (c *crowd) Line(context.Context, string, string) (waitinglines.State, error) { return c.line, nil }

func (c *crowd) Transfer(_ context.Context, id string) (transfers.State, int64, error) {
	c.read = append(c.read, id)
	return transfers.State{Phase: transfers.PhaseTimedOut, EndedAt: c.over[id], QueuedAt: noon,
		Request: transfers.Requested{TransferID: id, QueueID: oneQueue}}, 1, nil
}

func (c *crowd) OnLine(_ context.Context, _ assign.Cause, _, _, id, _ string, _ func(waitinglines.State) ([]event.Payload, error)) error {
	c.leave = append(c.leave, id)
	return nil
}

func (c *crowd) Candidates(context.Context, string, string, humanagents.Kind, []string, []string) ([]transfers.Candidate, error) {
	return c.free, nil
}

func (c *crowd) HasQueue(context.Context, string, string) (bool, error) { return true, nil }

var noon = time.Date(2026, 11, 22, 12, 0, 0, 0, time.UTC)

// Hundreds may wait in a line, and their time may be over in the same second: who serves it does not do for each what its own end does.
func TestWhoServesALineDoesNotClearIt(t *testing.T) {
	anybody := []transfers.Candidate{{HumanAgentID: "a-1"}}
	for name, c := range map[string]struct {
		free        []transfers.Candidate
		read, leave []string
	}{
		"nobody is free: no transfer is read":                                    {nil, nil, nil},
		"somebody is: who has just ended is passed over, not who is left behind": {anybody, []string{"old", "new"}, []string{"old"}},
	} {
		t.Run(name, func(t *testing.T) {
			w := &crowd{free: c.free, over: map[string]time.Time{"old": noon.Add(-time.Minute), "new": noon.Add(-time.Second)}}
			for _, id := range []string{"old", "new"} {
				w.line.Line = append(w.line.Line, waitinglines.Place{TransferID: id, Kind: humanagents.Chat})
			}
			process := assign.Process{Streams: w, View: w, Now: func() time.Time { return noon }}
			require.NoError(t, process.Serve(t.Context(), assign.Cause{}, "acme", oneQueue))
			require.Equal(t, c.read, w.read)
			require.Equal(t, c.leave, w.leave)
		})
	}
}

// Given a line that nobody gets through in time, then who wanted it served is told to come again: it is nothing that is wrong.
func TestALineThatTakesTooLong(t *testing.T) {
	w := &crowd{}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	process := assign.Process{Streams: cutOff{w}, View: w, Lines: &acts.Lines{}, Now: func() time.Time { return noon }}
	require.True(t, fault.Is(process.Serve(ctx, assign.Cause{}, "acme", oneQueue), fault.NotExecuted))
}

// cutOff are streams that cannot be read in time.
type cutOff struct{ *crowd }

func (cutOff) Line(ctx context.Context, _, _ string) (waitinglines.State, error) {
	return waitinglines.State{}, ctx.Err()
}
