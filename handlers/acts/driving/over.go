package driving

import (
	"context"
	"github.com/parley-platform/parley/handlers/acts"
	"log/slog"
	"time"

	"github.com/parley-platform/parley/domain/event"
	"github.com/parley-platform/parley/domain/sessions"
	"github.com/parley-platform/parley/domain/turns"
	"github.com/parley-platform/parley/eventstore"
)

// GoOn is what the timer of a turn that runs does: nothing while whoever makes its calls gives
// signs of life, or while an answer may still come; else it goes on. again says that the timer is
// still wanted. now is the time by which the timer was found due: by the node's own it may be early, and would be looked at again
// seconds later.
func (t *Turns) GoOn(ctx context.Context, by acts.Caller, stream string, now time.Time) (again bool, err error) {
	read, err := eventstore.Read(ctx, t.Store, sessions.Sessions, stream)
	if err != nil {
		return true, err
	}
	s := read.State
	claims := s.Talk.Running.Claims()
	if len(claims) == 0 {
		return false, nil
	}
	late := s.Talk.Suspended()
	if late != nil && now.Before(late.ExpiresAt) {
		return true, nil
	}
	gone, is, err := t.gone(ctx, claims)
	if err != nil {
		return true, err
	}
	ends := s.Talk.Running.Ends()
	overdue := !ends.IsZero() && now.Sub(ends) > overdueFor
	if late == nil && !is && !overdue {
		return true, nil
	}
	programs, err := t.Programs.Of(ctx, s.TenantID, s.ProjectID, s.Talk.Manifest)
	if what, refused := acts.RefusedSource(err); refused {
		_, err = acts.Execute(ctx, t.Log, by, sessions.Sessions, stream, breakOff(gone.Try, what, now))
		return true, err
	}
	if err != nil {
		return true, err
	}
	try := t.Try()
	decide := turns.TakeOver{From: gone.Try, Programs: programs, At: now, Try: try}.Decide
	switch {
	case !is && late == nil:
		decide = turns.Late{Programs: programs, At: now, Try: try}.Decide
	case late != nil:
		decide = turns.Outcome{CallID: late.CallID, Ended: turns.TooLate(), Programs: programs, At: now, Try: try}.Decide
	}
	acts.Logger(ctx).LogAttrs(ctx, slog.LevelInfo, "a turn goes on whose call nobody makes any more", slog.String("stream", stream))
	goesOn, err := t.resume(ctx, by, stream, decide, try)
	if goesOn && is {
		t.takenOver.Add(1)
	}
	return true, err
}

// breakOff ends a turn of a source that this server does not compile, if it is a try's, or waits for
// what comes from outside. One whose calls another server makes is that one's.
func breakOff(try, what string, at time.Time) decision {
	return sessions.BreakOff{Try: try, Why: sessions.CodeSource, Detail: what, At: at}.Decide
}

// overdueFor is how long nobody has said that delegates took too long, when the timer does.
const overdueFor = time.Second

// gone is a claim of a try that gives no sign of life any more; false: there is none.
func (t *Turns) gone(ctx context.Context, claims []sessions.Claimed) (sessions.Claimed, bool, error) {
	for _, of := range claims {
		if of.Try == "" || t.Has(of.Try) {
			continue
		}
		lives := false // what this process has not, and had, it was stopped at
		if of.Process != t.Process {
			var err error
			if lives, err = t.Lives(ctx, of.Process); err != nil {
				return of, false, err
			}
		}
		if !lives {
			return of, true, nil
		}
	}
	return sessions.Claimed{}, false, nil
}

// resume goes on with a turn in this process, if it is the first to.
func (t *Turns) resume(ctx context.Context, by acts.Caller, stream string, decide func(sessions.State) ([]event.Payload, error),
	try sessions.Claimed) (goesOn bool, err error) {
	res, err := acts.Execute(by.Carried(ctx), t.Log, by, sessions.Sessions, stream, decide)
	goesOn = err == nil && len(res.Events) > 0
	if goesOn && res.State.Talk.Running != nil {
		t.Drive(ctx, by, stream, &res, try)
	}
	return goesOn, err
}
