package exit

import (
	"context"
	"os"
	"os/signal"
	"syscall"
)

// OnSignal is the context of a command: it ends at Ctrl-C, and when the process is told to
// end. A second signal, after stop, is not held up any more.
func OnSignal() (ctx context.Context, stop context.CancelFunc) {
	return signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
}
