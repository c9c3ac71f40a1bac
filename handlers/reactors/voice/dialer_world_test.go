package voice_test

import (
	"context"
	"fmt"
	"log/slog"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/parley-platform/parley/adapters/telephony"
	"github.com/parley-platform/parley/domain/calls"
	"github.com/parley-platform/parley/domain/event"
	"github.com/parley-platform/parley/domain/fault"
	"github.com/parley-platform/parley/handlers/reactors/voice"
)

// memoryCalls is the dialer's store without a log behind it.
type memoryCalls struct {
	mu            sync.Mutex
	streams       map[string]*memoryCall
	before, after func(requestID string) error
}

type memoryCall struct {
	state    calls.State
	events   []event.Payload
	requests map[string][]event.Payload
}

func (m *memoryCalls) Decide(ctx context.Context, callID, requestID string, decide func(calls.State) ([]event.Payload,
	error)) ([]event.Payload, bool, error) {
	if err := ctx.Err(); err != nil {
		return nil, false, fault.New(fault.NotExecuted, "the request ended").Because(err)
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.before != nil {
		if err := m.before(requestID); err != nil {
			return nil, false, err
		}
	}
	call := m.streams[callID]
	if earlier, known := call.requests[requestID]; known && requestID != "" {
		return earlier, true, nil
	}
	events, err := decide(call.state)
	if err != nil {
		return nil, false, err
	}
	for _, e := range events {
		calls.Calls.Fold(&call.state, e)
	}
	call.events = append(call.events, events...)
	if len(events) > 0 {
		call.requests[requestID] = events
	}
	if m.after != nil {
		if err := m.after(requestID); err != nil {
			return nil, false, err
		}
	}
	return events, false, nil
}

// fail makes commands fail from now on: before they are executed, or after.
func (m *memoryCalls) fail(before, after func(requestID string) error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.before, m.after = before, after
}

// do runs a command of somebody else.
func (m *memoryCalls) do(t *testing.T, callID string, decide func(calls.State) ([]event.Payload, error)) {
	t.Helper()
	_, _, err := m.Decide(context.Background(), callID, "", decide)
	require.NoError(t, err)
}

func (m *memoryCalls) state(callID string) calls.State {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.streams[callID].state
}

// story is what happened to the call since it was dialled, in milliseconds; signs of
// life are left out.
func (m *memoryCalls) story(callID string) (lines []string) {
	m.mu.Lock()
	defer m.mu.Unlock()
	call := m.streams[callID]
	ms := func(at time.Time) int64 { return at.Sub(call.state.DialedAt).Milliseconds() }
	for _, e := range call.events {
		switch e := e.(type) {
		case calls.AttemptStarted:
			lines = append(lines, "started")
		case calls.Ringing:
			lines = append(lines, fmt.Sprint(ms(e.At), " ringing"))
		case calls.Answered:
			lines = append(lines, fmt.Sprint(ms(e.At), " answered"))
		case calls.Said:
			lines = append(lines, fmt.Sprint(ms(e.At), " said ", e.Text))
		case calls.AmdDetected:
			lines = append(lines, fmt.Sprint(ms(e.At), " ", e.Result))
		case calls.Failed:
			lines = append(lines, fmt.Sprint(ms(e.At), " failed ", e.ReasonCode, ": ", e.Reason))
		case calls.Completed:
			line := fmt.Sprint(ms(e.At), " completed ", e.ReasonCode, " after ", e.DurationMs)
			if e.Verdict != "" {
				line += fmt.Sprint(" ", e.Verdict)
			}
			if e.MachineDetected {
				line += " machineDetected"
			}
			lines = append(lines, line)
		}
	}
	return lines
}

// request puts a requested call into the store.
func (m *memoryCalls) request(t *testing.T, callID string, change ...func(*calls.DialOut)) {
	t.Helper()
	c := calls.DialOut{CallID: callID, SID: "leg-of-" + callID, TenantID: "acme", ProjectID: "a-1", AccountID: "acme", At: time.Now(),
		BotID: "a-1", Target: "tel:+15550000001", Caller: "15550100", Flow: calls.Flow{AgentName: "reminder", StartText: "Good day!"}}
	for _, f := range change {
		f(&c)
	}
	m.mu.Lock()
	m.streams[callID] = &memoryCall{requests: map[string][]event.Payload{}}
	m.mu.Unlock()
	m.do(t, callID, c.Decide)
}

func number(last string) func(*calls.DialOut) {
	return func(c *calls.DialOut) { c.Target = "tel:+1555000" + last }
}

func mode(m calls.DetectionMode) func(*calls.DialOut) {
	return func(c *calls.DialOut) { c.MachineDetection = string(m) }
}

// countedCarrier is the simulated carrier, which tells what it was asked to do.
type countedCarrier struct {
	voice.Carrier
	mu     sync.Mutex
	dialed []calls.LegRequest
	hungUp []time.Time
	refuse error
	legs   func() voice.Leg // in place of the simulated ones
	lookup func(context.Context, calls.LegQuery) (calls.LegReport, error)
}

func (c *countedCarrier) Lookup(ctx context.Context, q calls.LegQuery) (calls.LegReport, error) {
	if c.lookup != nil {
		return c.lookup(ctx, q)
	}
	return c.Carrier.Lookup(ctx, q)
}

func (c *countedCarrier) Dial(ctx context.Context, r calls.LegRequest) (voice.Leg, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.dialed = append(c.dialed, r)
	if c.refuse != nil {
		return nil, c.refuse
	}
	if c.legs != nil {
		return c.legs(), nil
	}
	leg, err := c.Carrier.Dial(ctx, r)
	return countedLeg{leg, c}, err
}

func (c *countedCarrier) dials() int {
	c.mu.Lock()
	defer c.mu.Unlock()
	return len(c.dialed)
}

type countedLeg struct {
	voice.Leg
	carrier *countedCarrier
}

func (l countedLeg) HangUp(ctx context.Context) error {
	l.carrier.mu.Lock()
	l.carrier.hungUp = append(l.carrier.hungUp, time.Now())
	l.carrier.mu.Unlock()
	return l.Leg.HangUp(ctx)
}

// dialerWorld is a dialer with its carrier and its store, in virtual time.
type dialerWorld struct {
	*testing.T
	store   *memoryCalls
	carrier *countedCarrier
	dialer  *voice.Dialer
}

// inVirtualTime runs a story with one dialer; its legs must be over at the end.
func inVirtualTime(t *testing.T, speed int, story func(*dialerWorld), change ...func(*voice.DialerConfig)) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		w := &dialerWorld{T: t, store: &memoryCalls{streams: map[string]*memoryCall{}},
			carrier: &countedCarrier{Carrier: voice.CarrierOf(telephony.NewSimulated(speed))}}
		w.dialer = w.newDialer(change...)
		story(w)
		w.pass(10 * time.Minute)
		require.Zero(t, w.dialer.Legs(), "every call ends")
		require.NoError(t, w.dialer.Close(t.Context()))
	})
}

func (w *dialerWorld) newDialer(change ...func(*voice.DialerConfig)) *voice.Dialer {
	cfg := voice.DialerConfig{Node: "n1", Store: w.store, Carriers: []voice.Carrier{w.carrier}, Log: slog.New(slog.DiscardHandler)}
	for _, f := range change {
		f(&cfg)
	}
	return voice.NewDialer(cfg)
}

// pass lets virtual time pass, and everything that is due in it happen.
func (w *dialerWorld) pass(d time.Duration) {
	time.Sleep(d)
	synctest.Wait()
}

// place requests a call and hands it to the dialer.
func (w *dialerWorld) place(callID string, change ...func(*calls.DialOut)) {
	w.Helper()
	w.store.request(w.T, callID, change...)
	require.NoError(w, w.dialer.Requested(w.Context(), callID))
}

// failing makes an error for the request ids that hold a text, so many times.
func failing(part string, times int, err error) func(string) error {
	return func(requestID string) error {
		if times == 0 || !strings.Contains(requestID, part) {
			return nil
		}
		times--
		return err
	}
}

func lines(parts ...[]string) []string { return slices.Concat(parts...) }
