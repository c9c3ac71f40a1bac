package event_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/parley-platform/parley/domain/event"
)

// Given a time of any place and clock, then the one that is read back from the log equals
// the one that was decided.
func TestTheFormOfATimeInAnEvent(t *testing.T) {
	vienna := time.FixedZone("", 3600)
	require.Equal(t, time.Date(2026, 1, 1, 8, 0, 0, 123_000_000, time.UTC), event.Stamp(time.Date(2026, 1, 1, 9, 0, 0, 123_999_999, vienna)))
	for _, at := range []time.Time{time.Now(), {}} {
		text, err := event.Stamp(at).MarshalJSON()
		require.NoError(t, err)
		var back time.Time
		require.NoError(t, back.UnmarshalJSON(text))
		require.Equal(t, event.Stamp(at), back)
	}
}
