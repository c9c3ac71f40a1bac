package livekit

import (
	"context"

	"github.com/parley-platform/parley/adapters/channels/wire"
	"github.com/parley-platform/parley/domain/channels"
)

// Known asks LiveKit for rooms of a name that none has, as only who has the key may; nothing happens there. Taken is yes.
func (l *LiveKit) Known(ctx context.Context, c channels.Connection) channels.Outcome {
	if out, is := wire.Lacks(l.Check(c)); is {
		return out
	}
	answer, none, ok := l.ask(ctx, c, Grant{List: true}, "RoomService/ListRooms", map[string]any{"names": []string{"parley-doctor"}})
	if !ok {
		return none
	}
	return outcomeOf(answer)
}
