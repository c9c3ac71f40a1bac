package embedded

import (
	"context"
	"fmt"
	"log/slog"

	"github.com/twmb/franz-go/pkg/kfake"
)

// brokerLog hands the broker's messages to slog. What the broker calls information
// is a line for each request, so that becomes debug, and its own debug is dropped.
type brokerLog struct{ log *slog.Logger }

// Logf implements kfake.Logger.
func (l brokerLog) Logf(level kfake.LogLevel, format string, args ...any) {
	to := slog.LevelDebug
	switch level {
	case kfake.LogLevelError:
		to = slog.LevelError
	case kfake.LogLevelWarn:
		to = slog.LevelWarn
	case kfake.LogLevelDebug, kfake.LogLevelNone:
		return
	}
	if l.log.Enabled(context.Background(), to) {
		l.log.Log(context.Background(), to, fmt.Sprintf(format, args...), "part", "broker")
	}
}
