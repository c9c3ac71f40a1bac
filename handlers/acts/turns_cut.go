package acts

import (
	"context"
	"time"

	"github.com/parley-platform/parley/domain/sessions"
	"github.com/parley-platform/parley/eventstore"
)

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
