package calls

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"time"

	"github.com/parley-platform/parley/cmd/parley/api"
	"github.com/parley-platform/parley/cmd/parley/events"
	"github.com/parley-platform/parley/cmd/parley/exit"
	"github.com/parley-platform/parley/cmd/parley/show"
	"github.com/parley-platform/parley/cmd/parley/story"
	"github.com/parley-platform/parley/cmd/parley/tail"
)

// follower shows what happens to a call until it ends.
type follower struct {
	client        *api.Client
	project, call string
	since         time.Time // when it was asked for
	out           *show.Out
	notes         io.Writer
}

const (
	clocks  = time.Minute            // that this machine's may be ahead of the node's
	asking  = 250 * time.Millisecond // between questions for the status
	reading = 30                     // questions until what was seen on the log is read, too
)

// errOver ends the following: the call is over.
var errOver = errors.New("over")

func (f follower) follow(ctx context.Context) error {
	if !f.out.JSON() {
		fmt.Fprintf(f.notes, "call %s is placed; Ctrl-C leaves it to itself\n", f.call)
	}
	q := url.Values{"stream": {tail.CallStream(f.call)}, "since": {f.since.Add(-clocks).UTC().Format(time.RFC3339Nano)}}
	err := f.client.Follow(ctx, events.StreamPath, q, f.notes, f.tell)
	var refusal *api.Refusal
	switch {
	case errors.As(err, &refusal) && refusal.Status == http.StatusForbidden:
		return f.ask(ctx)
	case errors.Is(err, errOver):
		return f.conclude(ctx)
	case err == nil: // Ctrl-C
		return f.left()
	}
	return fmt.Errorf("the call %s is placed, and cannot be followed: %w", f.call, err)
}

// left is how it ends when nobody waits any more.
func (f follower) left() error {
	fmt.Fprintf(f.notes, "parley: the call goes on; what becomes of it: parley calls %s\n", f.call)
	return nil
}

// tell shows an event of the call. Signs of life of its node are no news.
func (f follower) tell(data []byte) error {
	e, err := story.Read(data)
	if err != nil {
		return err
	}
	name := e.Name()
	if !f.out.JSON() && name != "calls.lease-renewed" {
		if err := story.Tell(f.out, e); err != nil {
			return err
		}
	}
	if name == "calls.completed" || name == "calls.failed" {
		return errOver
	}
	return nil
}

// ask shows the status of the call, of who may not read events.
func (f follower) ask(ctx context.Context) error {
	fmt.Fprintln(f.notes, "parley: without the permission audit:read its status alone can be shown")
	status := ""
	for {
		i, _, err := get(ctx, f.client, f.project, f.call)
		if err != nil {
			return err
		}
		if i.Status != status && !f.out.JSON() {
			if err := f.out.Line(show.Cell{Text: time.Now().Format("15:04:05.000"), Colour: show.Faint},
				show.Cell{Text: i.Status, Colour: i.colour()}); err != nil {
				return err
			}
		}
		if status = i.Status; i.over() {
			return f.conclude(ctx)
		}
		select {
		case <-ctx.Done():
			return f.left()
		case <-time.After(asking):
		}
	}
}

// conclude shows what became of the call.
func (f follower) conclude(ctx context.Context) error {
	for try := 1; ; try++ {
		i, raw, err := get(ctx, f.client, f.project, f.call)
		if err != nil {
			return err
		}
		if !i.over() && try < reading {
			time.Sleep(asking)
			continue
		}
		if f.out.JSON() {
			err = f.out.Raw(raw)
		} else {
			err = f.out.Line(show.Cell{Text: i.Status, Colour: i.colour()}, show.Cell{Text: i.verdict()})
		}
		if err == nil && i.Status == failedStatus {
			return exit.Nothing
		}
		return err
	}
}
