package acts

import (
	"context"
	"errors"
	"time"

	"github.com/parley-platform/parley/domain/sessions"
	"github.com/parley-platform/parley/eventstore"
)

// errDefect says that a defect of ours ended a try.
var errDefect = errors.New("the server has a defect")

// watched tells whoever watches that a turn's calls are made here.
func (t *Turns) watched(ctx context.Context, s sessions.State) (within context.Context, ended func(sessions.State, error)) {
	if t.Watch == nil {
		return ctx, func(sessions.State, error) {}
	}
	return t.Watch(ctx, s)
}

// cutAfter is how long calls are under way before somebody looks whether they are still wanted.
// Most have ended by then, and cost nobody a look.
const cutAfter = 50 * time.Millisecond

// watch cuts off what a try has under way when the log says that nobody waits for it any more:
// the turn was cancelled, on whatever node, the session was reset or has ended, or another try
// has taken over.
func (d *drive) watch(ctx context.Context, cut func()) {
	select {
	case <-time.After(cutAfter):
	case <-ctx.Done():
		return
	}
	news, stop, err := d.news(d.stream)
	if err != nil { // then it is looked for
		news, stop = nil, func() {}
	}
	defer stop()
	for {
		read, err := eventstore.Read(ctx, d.Store, sessions.Sessions, d.stream)
		if err == nil && !read.State.Talk.Running.Claimed(d.try.Try) {
			cut()
			return
		}
		select {
		case <-news:
		case <-time.After(lookAgain):
		case <-ctx.Done():
			return
		}
	}
}
