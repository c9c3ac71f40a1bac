package exit

import (
	"context"
	"errors"
	"os"

	"golang.org/x/sys/unix"
)

// OnSignalOr is OnSignal for a command that follows: its context ends as well when nobody
// reads what it prints any more, as in `parley tail | head -1`. Who only finds that out when
// the next line is written waits for ever when nothing happens any more.
func OnSignalOr(out *os.File) (ctx context.Context, stop context.CancelFunc) {
	ctx, stop = OnSignal()
	if info, err := out.Stat(); err != nil || info.Mode()&(os.ModeNamedPipe|os.ModeSocket) == 0 {
		return ctx, stop
	}
	go func() {
		defer stop()
		awaitNoReader(ctx, out)
	}()
	return ctx, stop
}

// awaitNoReader returns when the other end of a pipe is closed, or the context has ended.
func awaitNoReader(ctx context.Context, out *os.File) {
	const look = 1000 // ms between two looks at the context
	// No event is asked for: that there is an error, or nobody, is told unasked.
	for at := []unix.PollFd{{Fd: int32(out.Fd())}}; ctx.Err() == nil; {
		switch n, err := unix.Poll(at, look); {
		case errors.Is(err, unix.EINTR):
		case err != nil:
			<-ctx.Done() // it cannot be looked at
		case n > 0:
			return
		}
	}
}
