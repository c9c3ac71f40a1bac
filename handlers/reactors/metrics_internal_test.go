package reactors

import (
	"context"
	"errors"
	"log/slog"
	"testing"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/stretchr/testify/require"

	"github.com/parley-platform/parley/domain/attempt"
	"github.com/parley-platform/parley/domain/event"
)

// An attempt counts as made, as failed, or, where it may be made once only, as one of
// which nobody knows. Zeros stand before the first, so that it is seen to happen.
func TestAttemptsSayHowTheyWent(t *testing.T) {
	done := func(int) ([]event.Payload, error) { return nil, nil }
	for want, c := range map[string]struct {
		side Side
		err  error
	}{attemptMade: {AtLeastOnce, nil}, attemptFailed: {AtLeastOnce, errors.New("no")}, attemptUnknown: {AtMostOnce, errors.New("no")}} {
		m := newRouterMetrics(time.Now)
		m.knows(Reactor{Name: "sender", attempts: true})
		a := Attempts[int]{Side: c.side, Within: time.Minute, Now: time.Now, Log: slog.New(slog.DiscardHandler),
			Rules: attempt.Rules[int]{
				State: func(int) attempt.State { return attempt.State{LeaseUntil: time.Now().Add(time.Hour)} },
				Fail:  func(int, attempt.Failure) attempt.Decision[int] { return done }},
			Do: func(context.Context, int) (attempt.Decision[int], error) { return done, c.err }}
		_, err := a.attempt(m.countingAttempts(t.Context(), "sender"), "stream", 1)
		require.NoError(t, err)
		counts := attemptsOf(t, m)
		require.Equal(t, 1.0, counts[want], want)
		for _, other := range []string{attemptFailed, attemptUnknown} {
			require.Contains(t, counts, other)
			require.True(t, other == want || counts[other] == 0, "%s, counted as %s", want, other)
		}
	}
}

func attemptsOf(t *testing.T, m *routerMetrics) map[string]float64 {
	t.Helper()
	r := prometheus.NewRegistry()
	r.MustRegister(m)
	families, err := r.Gather()
	require.NoError(t, err)
	out := map[string]float64{}
	for _, family := range families {
		if family.GetName() != "parley_attempts_total" {
			continue
		}
		for _, metric := range family.Metric {
			for _, l := range metric.Label {
				if l.GetName() == "outcome" {
					out[l.GetValue()] = metric.GetCounter().GetValue()
				}
			}
		}
	}
	return out
}
