package runtime

import (
	"context"
	"strings"
	"time"

	"github.com/parley-platform/parley/domain/completions"
	"github.com/parley-platform/parley/eventstore"
	"github.com/parley-platform/parley/handlers/reactors"
	"github.com/parley-platform/parley/projections"
)

// DropAnswers is the timer of answers that were kept for a request's Idempotency-Key: the
// file goes first, so that one that is said to be gone is gone.
func DropAnswers(store *eventstore.Store, remove func(ctx context.Context, blob string) error) reactors.TimerHandler {
	return func(ctx context.Context, t projections.Timer, now time.Time) error {
		read, err := eventstore.Read(ctx, store, completions.Completions, t.Stream)
		if err != nil || !read.State.Due(now) {
			return err
		}
		if err := remove(ctx, read.State.Blob); err != nil {
			return err
		}
		drop := completions.DropAnswer{At: now}.For(strings.TrimPrefix(t.Stream, completions.Completions.Stream("")))
		return eventstore.Do(ctx, store, completions.Completions, t.Stream, eventstore.Command{Tenant: t.Tenant,
			Actor: "timer:completion-answer"}, drop)
	}
}
