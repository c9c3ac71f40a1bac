package driving

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
func (t *Turns) watched(ctx context.Context, s *sessions.State) (within context.Context, ended func(*sessions.State, error)) {
	if t.Watch == nil {
		return ctx, func(*sessions.State, error) {}
	}
	return t.Watch(ctx, s)
}

// cutAfter is how long calls are under way before somebody looks whether they are still wanted.
// Most have ended by then, and cost nobody a look.
const cutAfter = 50 * time.Millisecond

// looks say when to look whether what a try has under way is still wanted.
type looks struct {
	due  *time.Timer
	news news // from the first look on
}

func (l *looks) begin() { l.due = time.NewTimer(cutAfter) }

func (l *looks) end() {
	l.due.Stop()
	if l.news.stop != nil {
		l.news.stop()
	}
}

// look cuts off what a try has under way when the log says that nobody waits for it any more: the turn
// was cancelled, on whatever node, the session was reset or has ended, or another try has taken over.
// The turn goes on while the log is read.
func (d *drive) look(ctx context.Context) {
	if d.looks.news.stop == nil {
		d.looks.news, _ = d.news(d.stream) // where there are none it is looked for them
	}
	due, again := d.looks.due, d.looks.news.again
	d.all.Go(func() {
		read, err := eventstore.Read(ctx, d.Store, sessions.Sessions, d.stream)
		switch {
		case err != nil:
			due.Reset(lookAgain)
		case read.State.Talk.Running.Claimed(d.try.Try):
			due.Reset(again)
		default:
			d.cut()
		}
	})
}
