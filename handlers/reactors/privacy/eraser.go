package privacy

import (
	"cmp"
	"context"
	"fmt"
	"log/slog"
	"slices"
	"time"

	"github.com/parley-platform/parley/domain/attempt"
	"github.com/parley-platform/parley/domain/erasures"
	"github.com/parley-platform/parley/domain/event"
	"github.com/parley-platform/parley/domain/privacy"
	"github.com/parley-platform/parley/domain/retention"
	"github.com/parley-platform/parley/eventstore"
	"github.com/parley-platform/parley/eventstore/sealed"
	"github.com/parley-platform/parley/handlers/reactors"
	models "github.com/parley-platform/parley/projections/privacy"
)

const (
	erasureLease  = 30 * time.Second // how long a step outlives the node that makes it
	erasureWithin = 25 * time.Second // of one step
)

// DefaultCalm is as long as a reactor may hold what it has read before it writes: what a
// campaign asked for in the meantime is found by the look behind it.
const DefaultCalm = 35 * time.Second

// Eraser makes the steps of the jobs that erase persons. It errs on the side of at least
// once: looking and forgetting may be repeated.
type Eraser struct {
	Store   *eventstore.Store
	Keys    keys
	Blobs   blobs
	Persons persons
	Spoken  spoken                          // what was said to persons; nil: nothing of it is kept
	Settled func(ctx context.Context) error // waits until queries find all that was accepted before
	Calm    time.Duration                   // of the pause before the last look; 0: DefaultCalm
	Now     func() time.Time
	Log     *slog.Logger
}

// keys makes data keys unreadable for ever.
type keys interface {
	Erase(ctx context.Context, ids []sealed.ID) error
}

// blobs is where recordings and other files are.
type blobs interface {
	Delete(ctx context.Context, name string) error
	// Unnamed are those of which nobody has seen yet that an event names them.
	Unnamed(ctx context.Context) (map[string]time.Time, error)
}

// spoken is what was made sound of, and kept.
type spoken interface {
	Forget(ctx context.Context) error
}

// persons knows where a person stands.
type persons interface {
	Find(ctx context.Context, tenant string, identities []privacy.Identity) ([]erasures.Place, error)
	Left(ctx context.Context, tenant string, forgotten []erasures.Place) ([]erasures.Place, error)
	Aged(ctx context.Context, tenant string, of erasures.Aged, besides []erasures.Place) ([]erasures.Place, error)
	Outliving(ctx context.Context, tenant string, streams []string) ([]models.Owned, error)
}

// Attempts declares it.
func (x Eraser) Attempts() *reactors.Attempts[erasures.State] {
	return &reactors.Attempts[erasures.State]{Name: "eraser", Of: erasures.Jobs, Timer: models.ErasureTimer,
		Side:   reactors.AtLeastOnce,
		Events: []event.Payload{erasures.Requested{}, erasures.Expired{}, erasures.Requeued{}, erasures.Found{}, erasures.Forgotten{}},
		Rules:  erasures.Attempts,
		Do:     x.step, Within: erasureWithin, Lease: erasureLease, Problem: "a step of the erasure came to nothing; the node's log says why",
		Store: x.Store, Now: x.Now, Log: x.Log}
}

func (x Eraser) step(ctx context.Context, job erasures.State) (attempt.Decision[erasures.State], error) {
	if len(job.Found) == 0 {
		places, err := x.look(ctx, job)
		return erasures.Find{Attempt: job.Attempt.Number, Places: places, At: x.Now(), Calm: x.calm(job)}.Decide, err
	}
	counts, err := x.forget(ctx, job)
	return erasures.Forget{Attempt: job.Attempt.Number, Counts: counts, At: x.Now()}.Decide, err
}

// calm is for how long nothing has to be found. What is over is not written to any more.
func (x Eraser) calm(job erasures.State) time.Duration {
	if job.Aged.ProjectID != "" {
		return 0
	}
	return cmp.Or(x.Calm, DefaultCalm)
}

// look finds where the person, or what is too old, is to be forgotten next. What was on the log before is in the
// tables by then, so nothing that was said earlier is missed.
func (x Eraser) look(ctx context.Context, job erasures.State) ([]erasures.Place, error) {
	if err := x.Settled(ctx); err != nil {
		return nil, fmt.Errorf("waiting for the read models: %w", err)
	}
	if job.Aged.ProjectID != "" {
		return x.aged(ctx, job)
	}
	left, err := x.Persons.Left(ctx, job.TenantID, job.Before)
	if err != nil || len(left) > 0 {
		return left, err
	}
	return x.Persons.Find(ctx, job.TenantID, job.Identities)
}

// aged finds what is too old, also by what the project says by now: a job may take long, and who sees what it forgets says
// something else. It looks past what goes on at the moment: else the oldest that do would hide all that is behind them.
func (x Eraser) aged(ctx context.Context, job erasures.State) ([]erasures.Place, error) {
	rules, err := eventstore.Read(ctx, x.Store, retention.Rules, retention.Stream(job.TenantID, job.Aged.ProjectID))
	if err != nil {
		return nil, err
	}
	job.Aged.Before = rules.State.Still(job.Aged.Before, x.Now())
	found, err := x.Persons.Aged(ctx, job.TenantID, job.Aged, job.Left)
	if err != nil || len(found) == 0 || slices.ContainsFunc(found, func(p erasures.Place) bool { return !job.Tried(p) }) {
		return found, err
	}
	behind, err := x.Persons.Aged(ctx, job.TenantID, job.Aged, slices.Concat(job.Left, job.Before))
	return append(found, behind...), err
}

// Finisher makes a job that is done forget whom it was about.
type Finisher struct {
	Store *eventstore.Store
	Keys  keys
	Now   func() time.Time
}

// Reactor declares it.
func (x Finisher) Reactor() reactors.Reactor {
	return reactors.Reactor{Name: "erasure-finisher", Categories: []*event.Category{erasures.Jobs.Category}, Side: reactors.AtLeastOnce,
		Events: []event.Payload{erasures.Completed{}}, Handle: x.handle}
}

func (x Finisher) handle(ctx context.Context, e reactors.Event) error {
	cmd := reactors.Because("erasure-finisher", "erase", e)
	erased := erasures.Erased{Erasure: event.Erasure{ErasureID: erasures.Jobs.StreamID(e.Stream), At: event.Stamp(x.Now())}}
	ids, err := eventstore.Erase(ctx, x.Store, erasures.Jobs, e.Stream, cmd, erased)
	if err != nil || len(ids) == 0 {
		return err
	}
	return x.Keys.Erase(ctx, ids)
}
