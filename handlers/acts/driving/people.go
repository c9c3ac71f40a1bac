package driving

import (
	"context"
	"github.com/parley-platform/parley/handlers/acts"

	"github.com/parley-platform/parley/domain/sessions"
	"github.com/parley-platform/parley/domain/turns"
	"github.com/parley-platform/parley/eventstore"
)

// GiveBack gives the conversation back to the agent, which goes on in this process. The result has
// no events where the session did not wait for this.
func (t *Turns) GiveBack(ctx context.Context, by acts.Caller, stream string,
	give turns.GiveBack) (eventstore.Result[sessions.State], error) {
	read, err := eventstore.Read(ctx, t.Store, sessions.Sessions, stream)
	if err != nil || !give.Concerns(read.State) {
		return eventstore.Result[sessions.State]{State: read.State}, err
	}
	s := read.State
	give.Programs, err = t.Programs.Of(ctx, s.TenantID, s.ProjectID, s.Talk.Manifest)
	if what, is := acts.RefusedSource(err); is { // people do not have it any more, whatever becomes of the agent
		give.Programs, give.Refused, err = nil, what, nil
	}
	if err != nil {
		return eventstore.Result[sessions.State]{State: s}, err
	}
	give.At, give.Try = t.Now(), t.Try()
	res, err := acts.Execute(by.Carried(ctx), t.Log, by, sessions.Sessions, stream, give.Decide)
	if err == nil && len(res.Events) > 0 && !res.Replayed && res.State.Talk.Running != nil {
		t.Drive(ctx, by, stream, &res, give.Try)
	}
	return res, err
}
