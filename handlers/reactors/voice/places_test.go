package voice_test

import (
	"context"
	"testing"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/stretchr/testify/require"

	"github.com/parley-platform/parley/domain/calls"
	"github.com/parley-platform/parley/domain/fault"
	"github.com/parley-platform/parley/eventstore"
	"github.com/parley-platform/parley/handlers/reactors"
	"github.com/parley-platform/parley/handlers/reactors/voice"
)

// measures are the dialer's figures, by name and label.
func (w *dialerWorld) measures() map[string]float64 {
	w.Helper()
	all, out := prometheus.NewRegistry(), map[string]float64{}
	all.MustRegister(w.dialer.Measures()...)
	families, err := all.Gather()
	require.NoError(w, err)
	for _, f := range families {
		for _, m := range f.GetMetric() {
			name := f.GetName()
			for _, l := range m.GetLabel() {
				name += " " + l.GetValue()
			}
			out[name] = m.GetGauge().GetValue() + m.GetCounter().GetValue()
		}
	}
	return out
}

// Given a node that has as many calls with sound as it carries, then the next waits, until one is over or it may not be dialled any
// more; what is silent goes on.
func TestANodeCarriesSoManyCallsWithSound(t *testing.T) {
	inVirtualTime(t, 1, func(w *dialerWorld) {
		overTrunk := func(call string) error {
			return voice.TrunkDialer{Dialer: w.dialer}.Reactor().Handle(w.Context(), reactors.Event{Stream: calls.Calls.Stream(call)})
		}
		load := func(want ...int) {
			w.Helper()
			now, waiting, most := w.dialer.Load()
			require.Equal(w, want, []int{now, waiting, most})
		}
		for _, call := range []string{"c1", "c2", "c3"} {
			w.store.request(w.T, call)
		}
		require.NoError(w, overTrunk("c1"))
		require.True(w, fault.Is(overTrunk("c2"), fault.QueueFull), "to be delivered again")
		require.True(w, fault.Is(overTrunk("c3"), fault.QueueFull))
		load(1, 2, 1)
		w.place("silent")
		load(1, 2, 1)
		require.Equal(w, map[string]float64{"parley_media_calls": 1, "parley_media_calls_limit": 1, "parley_media_calls_waiting": 2,
			"parley_media_refused_total adopted": 0, "parley_media_refused_total brought": 0, "parley_media_refused_total inbound": 0,
			"parley_media_refused_total outbound": 2}, w.measures())
		w.store.request(w.T, "much")
		require.True(w, fault.Is(w.dialer.Requested(w.Context(), "much"), fault.QueueFull), "there are no legs left at all")
		load(1, 2, 1)
		require.Equal(w, []string{"c1", "c2", "c3"}, w.dialer.Seen(), "they count here")
		require.Empty(w, w.dialer.Seen())
		w.pass(40 * time.Second)
		load(0, 0, 1)
		require.NoError(w, overTrunk("c2"), "there is room")
		require.True(w, fault.Is(overTrunk("c3"), fault.QueueFull))
		load(1, 1, 1)
		w.pass(30 * time.Second)
		require.NoError(w, overTrunk("c3"), "its time has passed: it needs no other delivery")
		load(0, 0, 1)
		require.Equal(w, calls.PhaseRequested, w.store.state("c3").Phase)
		require.Equal(w, []string{"c2", "c3", "c3"}, w.dialer.Seen())
		require.Equal(w, 3, w.carrier.dials())
	}, func(c *voice.DialerConfig) { c.MaxLegs, c.MostSound = 2, 1 })
}

// Given a full node, then no call is taken whose sound would come here by a socket.
func TestAFullNodeTakesNoLine(t *testing.T) {
	inVirtualTime(t, 1, func(w *dialerWorld) {
		w.bring("")
		require.True(w, fault.Is(<-w.carry(newWire()), fault.QueueFull))
		require.Empty(w, w.store.state(carried).Attempt.ID)
	}, func(c *voice.DialerConfig) { c.MostSound = -1 })
}

// Each requested call is for one of the two who dial.
func TestWhoDialsWhichCall(t *testing.T) {
	d := voice.NewDialer(voice.DialerConfig{})
	for data, trunk := range map[string]bool{`{"provider":"sip"}`: true, `{"provider":"local"}`: false, `{}`: false} {
		r := &eventstore.Record{Data: []byte(data)}
		require.Equal(t, trunk, voice.TrunkDialer{Dialer: d}.Reactor().Only(r), data)
		require.Equal(t, !trunk, d.Reactor().Only(r), data)
	}
	require.NotEqual(t, d.Reactor().Name, voice.TrunkDialer{Dialer: d}.Reactor().Name)
	require.NoError(t, d.Close(context.Background()))
}
