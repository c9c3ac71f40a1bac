package calls_test

import (
	"encoding/json"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/parley-platform/parley/domain/calls"
	"github.com/parley-platform/parley/domain/event"
)

var noon = time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)

// after is a time of the story, in milliseconds after noon.
func after(ms int) time.Time { return noon.Add(time.Duration(ms) * time.Millisecond) }

func ptr[T any](v T) *T { return &v }

// dialOut is a request with only what it must have, and a notifyurl.
func dialOut(change ...func(*calls.DialOut)) calls.DialOut {
	c := calls.DialOut{
		CallID: "018f0000-0000-7000-8000-000000000001", SID: "018f0000-0000-7000-8000-000000000002",
		TenantID: "acme", ProjectID: "a-1", AccountID: "acme", At: noon,
		BotID: "a-1", Target: "tel:15550000001", OurNumber: "15550100", NotifyURL: "https://dialer.example/notices",
	}
	for _, f := range change {
		f(&c)
	}
	return c
}

func detecting(mode calls.DetectionMode) func(*calls.DialOut) {
	return func(c *calls.DialOut) { c.MachineDetection = string(mode) }
}

func requested(t *testing.T, change ...func(*calls.DialOut)) calls.Requested {
	t.Helper()
	events, err := dialOut(change...).Decide(calls.State{})
	require.NoError(t, err)
	require.Len(t, events, 1)
	return events[0].(calls.Requested)
}

var (
	started = calls.AttemptStarted{AttemptID: "try-1", SID: "018f0000-0000-7000-8000-000000000002", Provider: "local",
		Node: "n1", At: after(100), LeaseUntil: after(30_100)}
	rang     = calls.Ringing{At: after(1_100)}
	answered = calls.Answered{SessionID: "s-1", At: after(4_100), RingDurationMs: 3_000, ConnectDurationMs: 4_000}
)

// connected is the history of an answered call.
func connected(t *testing.T, change ...func(*calls.DialOut)) []event.Payload {
	t.Helper()
	return []event.Payload{requested(t, change...), started, rang, answered}
}

func heard(result calls.Result, ms int) calls.AmdDetected {
	return calls.AmdDetected{Detection: calls.Detection{Result: result}, Provider: "local", At: after(ms)}
}

type command interface {
	Decide(calls.State) ([]event.Payload, error)
}

// given a history, when a command comes, then these events follow (none: nothing).
type scenario struct {
	given []event.Payload
	when  command
	then  []event.Payload
}

func (sc scenario) run(t *testing.T) {
	t.Helper()
	events, err := sc.when.Decide(calls.Calls.State(sc.given...))
	require.NoError(t, err)
	require.Equal(t, sc.then, events)
}

func asJSON(t *testing.T, v any) string {
	t.Helper()
	b, err := json.Marshal(v)
	require.NoError(t, err)
	return string(b)
}
