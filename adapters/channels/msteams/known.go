package msteams

import (
	"context"

	"github.com/parley-platform/parley/adapters/channels/wire"
	"github.com/parley-platform/parley/domain/channels"
)

// Known asks Microsoft for a token, also where one is kept; nothing happens there. Taken is yes.
func (t *Teams) Known(ctx context.Context, c channels.Connection) channels.Outcome {
	if out, is := wire.Lacks(t.Check(c)); is {
		return out
	}
	if fresh, none := t.tokens.ask(ctx, c); fresh.value == "" {
		return none
	}
	return channels.Outcome{Status: channels.Taken}
}
