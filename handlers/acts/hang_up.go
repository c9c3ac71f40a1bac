package acts

import (
	"context"

	"github.com/parley-platform/parley/domain/calls"
)

// HangUp ends an answered call because somebody asks for it. The end stands on the log at once;
// the node that carries the call meets it there with its next sign of life, and then hangs up.
type HangUp struct{ Log }

// Do does nothing for a call that has ended.
func (h HangUp) Do(ctx context.Context, by Caller, callID, cause string) error {
	end := calls.Complete{By: calls.ByBot, Cause: cause, At: h.Now()}
	_, err := Execute(ctx, h.Log, by, calls.Calls, calls.Calls.Stream(callID), end.Decide)
	return err
}
