package waitinglines_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/parley-platform/parley/domain/event"
	"github.com/parley-platform/parley/domain/event/eventtest"
	"github.com/parley-platform/parley/domain/humanagents"
	"github.com/parley-platform/parley/domain/waitinglines"
)

var noon = time.Date(2026, 11, 22, 12, 0, 0, 0, time.UTC)

func enter(id string) waitinglines.Enter {
	return waitinglines.Enter{TenantID: "acme", QueueID: "q-1", TransferID: id, SessionID: "s-" + id, Kind: humanagents.Chat,
		Skills: []string{"german"}, At: noon}
}

func entered(id string) waitinglines.Entered {
	return waitinglines.Entered{TenantID: "acme", QueueID: "q-1", TransferID: id, SessionID: "s-" + id, Kind: humanagents.Chat,
		Skills: []string{"german"}, At: noon}
}

func left(id string) waitinglines.Left {
	return waitinglines.Left{TenantID: "acme", QueueID: "q-1", TransferID: id, Reason: waitinglines.Assigned, At: noon.Add(time.Second)}
}

func TestDecisions(t *testing.T) {
	leave := waitinglines.Leave{TransferID: "1", Reason: waitinglines.Assigned, At: noon.Add(time.Second)}
	for _, c := range []struct {
		given string
		past  []event.Payload
		when  func(waitinglines.State) ([]event.Payload, error)
		then  []event.Payload
	}{
		{"an empty line, it is entered", nil, enter("1").Decide, []event.Payload{entered("1")}},
		{"one who stands in it does not stand twice", []event.Payload{entered("1")}, enter("1").Decide, nil},
		{"one who stands in it leaves", []event.Payload{entered("1")}, leave.Decide, []event.Payload{left("1")}},
		{"one who left does not leave again", []event.Payload{entered("1"), left("1")}, leave.Decide, nil},
		{"a stranger does not leave", nil, leave.Decide, nil},
	} {
		t.Run(c.given, func(t *testing.T) {
			got, err := c.when(waitinglines.Lines.State(c.past...))
			require.NoError(t, err)
			require.Equal(t, c.then, got)
		})
	}
}

// Whoever comes and goes, the line is those who are there, in the order in which they came.
func TestTheLineKeepsItsOrder(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var line waitinglines.State
		var want []string
		for i := range rapid.IntRange(1, 30).Draw(t, "steps") {
			id := fmt.Sprint(rapid.IntRange(1, 6).Draw(t, "who"))
			decide, comes := enter(id).Decide, rapid.Bool().Draw(t, "comes")
			if !comes {
				decide = waitinglines.Leave{TransferID: id, Reason: waitinglines.Ended, At: noon.Add(time.Duration(i) * time.Second)}.Decide
			}
			events, err := decide(line)
			require.NoError(t, err)
			for _, e := range events {
				waitinglines.Lines.Fold(&line, e)
			}
			here := -1
			for i, w := range want {
				if w == id {
					here = i
				}
			}
			switch {
			case comes && here < 0:
				want = append(want, id)
			case !comes && here >= 0:
				want = append(append([]string(nil), want[:here]...), want[here+1:]...)
			}
			var got []string
			for _, p := range line.Line {
				got = append(got, p.TransferID)
			}
			require.Equal(t, len(want), len(got))
			for i := range want {
				require.Equal(t, want[i], got[i])
			}
		}
	})
}

// Who has a greater rank stands before those who have a smaller one, and behind their own.
func TestRankComesFirst(t *testing.T) {
	var line waitinglines.State
	for _, x := range []struct {
		id   string
		rank int
	}{{"1", 0}, {"2", 1}, {"3", -1}, {"4", 0}, {"5", 2}, {"6", 1}} {
		in := enter(x.id)
		in.Rank = x.rank
		got, err := in.Decide(line)
		require.NoError(t, err)
		waitinglines.Lines.Fold(&line, got[0])
	}
	var order []string
	for _, p := range line.Line {
		order = append(order, p.TransferID)
	}
	require.Equal(t, []string{"5", "2", "6", "1", "4", "3"}, order)
}

func TestEventsStayReadable(t *testing.T) {
	eventtest.Golden(t, waitinglines.Lines.Category, "testdata/events", entered("1"), left("1"))
}
