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
	"github.com/parley-platform/parley/eventstore"
	"github.com/parley-platform/parley/eventstore/memory"
	"github.com/parley-platform/parley/handlers/reactors/voice"
)

// memoryCalls are the streams of calls, on a log in memory.
type memoryCalls struct {
	*memory.Log
	store *eventstore.Store
}

func newMemoryCalls() *memoryCalls {
	log := memory.New()
	return &memoryCalls{log, log.Open(eventstore.Config{Node: "n1"})}
}

// do runs a command of somebody else; step names it as the dialer's own, if it is not empty.
func (m *memoryCalls) do(t *testing.T, callID, step string, decide func(calls.State) ([]event.Payload, error)) {
	t.Helper()
	cmd := eventstore.Command{Tenant: "acme", Actor: "test"}
	if step != "" {
		cmd.RequestID = eventstore.CauseID("dialer", callID, step)
	}
	_, err := eventstore.Execute(context.Background(), m.store, calls.Calls, calls.Calls.Stream(callID), cmd, decide)
	require.NoError(t, err)
}

func (m *memoryCalls) state(callID string) calls.State {
	return calls.Calls.State(m.events(callID)...)
}

func (m *memoryCalls) events(callID string) []event.Payload {
	return memory.Events(m.Log, calls.Calls.Category, calls.Calls.Stream(callID))
}

// story is what happened to the call since it was dialled, in milliseconds; signs of
// life are left out.
func (m *memoryCalls) story(callID string) (lines []string) {
	dialed := m.state(callID).DialedAt
	ms := func(at time.Time) int64 { return at.Sub(dialed).Milliseconds() }
	for _, e := range m.events(callID) {
		switch e := e.(type) {
		case calls.AttemptStarted:
			lines = append(lines, "started")
		case calls.Ringing:
			lines = append(lines, fmt.Sprint(ms(e.At), " ringing"))
		case calls.Answered:
			lines = append(lines, fmt.Sprint(ms(e.At), " answered"))
		case calls.LegEstablished:
			lines = append(lines, fmt.Sprint(ms(e.At), " established ", e.Dialog.CallID))
		case calls.Held:
			lines = append(lines, fmt.Sprint(ms(e.At), " held"))
		case calls.Resumed:
			lines = append(lines, fmt.Sprint(ms(e.At), " resumed"))
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
		BotID: "a-1", Target: "tel:+15550000001", OurNumber: "15550100", Flow: calls.Flow{AgentName: "reminder", StartText: "Good day!"}}
	for _, f := range change {
		f(&c)
	}
	m.do(t, callID, "", c.Decide)
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
		w := &dialerWorld{T: t, store: newMemoryCalls(),
			carrier: &countedCarrier{Carrier: voice.CarrierOf(telephony.NewSimulated(speed))}}
		defer w.store.store.Close()
		w.dialer = w.newDialer(change...)
		story(w)
		w.pass(10 * time.Minute)
		require.Zero(t, w.dialer.Legs(), "every call ends")
		require.NoError(t, w.dialer.Close(t.Context()))
	})
}

func (w *dialerWorld) newDialer(change ...func(*voice.DialerConfig)) *voice.Dialer {
	cfg := voice.DialerConfig{Node: "n1", Store: w.store.store, Carriers: []voice.Carrier{w.carrier}, Log: slog.New(slog.DiscardHandler)}
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

// failing makes an error for the commits that begin with an event of a type, so many
// times: in the order of the dialer's own steps, not of what others write.
func failing(kind string, times int, err error) func([]*eventstore.Record) error {
	var mu sync.Mutex // a call and its session are written side by side
	return func(commit []*eventstore.Record) error {
		mu.Lock()
		defer mu.Unlock()
		if times == 0 || commit[0].RequestID == "" || !strings.Contains(commit[0].Type, kind) {
			return nil
		}
		times--
		return err
	}
}

// always fails for every commit.
func always(err error) func([]*eventstore.Record) error {
	return func([]*eventstore.Record) error { return err }
}

func lines(parts ...[]string) []string { return slices.Concat(parts...) }
