package watermillkafka

import (
	"bytes"
	"fmt"
	"io"
	"log/slog"
	"testing"
	"testing/synctest"

	"github.com/segmentio/kafka-go"
	"github.com/stretchr/testify/require"
)

// A member that comes while others do begins again, which wakes nobody at night. What else keeps it out does.
func TestWhatIsSaidOfATryToJoin(t *testing.T) {
	for err, warns := range map[error]bool{
		kafka.RebalanceInProgress:          false,
		kafka.GroupCoordinatorNotAvailable: true,
		kafka.GroupAuthorizationFailed:     true,
	} {
		var said bytes.Buffer
		s := subscription{log: slog.New(slog.NewTextHandler(&said, nil))}
		s.failed(fmt.Errorf("joining: %w", err))
		require.Equal(t, warns, bytes.Contains(said.Bytes(), []byte("level=WARN")), err)
	}
}

// Reading that fails once is a moment of a broker; reading that fails again is an outage.
func TestWhatIsSaidOfReadingThatFails(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		for failures, warnings := range map[int]int{0: 0, 1: 0, 2: 1, 3: 2} {
			var said bytes.Buffer
			p := &partition{sub: &subscription{log: slog.New(slog.NewTextHandler(&said, nil))}}
			left := failures
			require.NoError(t, p.insist(t.Context(), "reading", func() error {
				if left == 0 {
					return nil
				}
				left--
				return io.ErrUnexpectedEOF
			}))
			require.Equal(t, warnings, bytes.Count(said.Bytes(), []byte("level=WARN")), "of %d failures", failures)
		}
	})
}
