package watermillkafka

import (
	"bytes"
	"fmt"
	"log/slog"
	"testing"

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
