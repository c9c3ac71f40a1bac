package acts

import (
	"context"
	"log/slog"
)

type loggerKey struct{}

// WithLogger gives what is done on ctx a logger that names what it is done because of.
func WithLogger(ctx context.Context, log *slog.Logger) context.Context {
	return context.WithValue(ctx, loggerKey{}, log)
}

// Logger names in every line what is being handled, where its caller said so.
func Logger(ctx context.Context) *slog.Logger {
	if log, ok := ctx.Value(loggerKey{}).(*slog.Logger); ok {
		return log
	}
	return slog.Default()
}
