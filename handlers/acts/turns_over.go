package acts

import (
	"context"
	"log/slog"

	"github.com/parley-platform/parley/domain/event"
	"github.com/parley-platform/parley/domain/sessions"
	"github.com/parley-platform/parley/domain/turns"
	"github.com/parley-platform/parley/eventstore"
)

// GoOn is what the timer of a turn that runs does: nothing while whoever makes its calls gives
// signs of life, or while an answer may still come; else it goes on. again says that the timer is
// still wanted.
func (t *Turns) GoOn(ctx context.Context, by Caller, stream string) (again bool, err error) {
	read, err := eventstore.Read(ctx, t.Store, sessions.Sessions, stream)
	if err != nil {
		return true, err
	}
	s := read.State
	of, claimed := s.Talk.Running.Claim()
	if !claimed {
		return false, nil
	}
	late := s.Talk.Suspended()
	switch {
	case late != nil && t.Now().Before(late.ExpiresAt), t.Has(of.Try):
		return true, nil
	case late == nil && of.Process != t.Process:
		if lives, err := t.Lives(ctx, of.Process); err != nil || lives {
			return true, err
		}
	}
	programs, err := t.Programs.Of(ctx, s.TenantID, s.ProjectID, s.Talk.Manifest)
	if err != nil {
		return true, err
	}
	try := t.Try()
	decide := turns.TakeOver{From: of.Try, Programs: programs, At: t.Now(), Try: try}.Decide
	if late != nil {
		decide = turns.Outcome{CallID: late.CallID, Ended: turns.TooLate(), Programs: programs, At: t.Now(), Try: try}.Decide
	}
	Logger(ctx).LogAttrs(ctx, slog.LevelInfo, "a turn goes on whose call nobody makes any more", slog.String("stream", stream))
	return true, t.resume(ctx, by, stream, decide, try)
}

// resume goes on with a turn in this process.
func (t *Turns) resume(ctx context.Context, by Caller, stream string, decide func(sessions.State) ([]event.Payload, error),
	try sessions.Claimed) error {
	res, err := Execute(ctx, t.Log, by, sessions.Sessions, stream, decide)
	if err == nil && len(res.Events) > 0 && res.State.Talk.Running != nil {
		t.Drive(ctx, by, stream, res.State, try)
	}
	return err
}
