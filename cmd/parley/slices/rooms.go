package slices

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/google/uuid"

	"github.com/parley-platform/parley/adapters/livekit"
	"github.com/parley-platform/parley/domain/calls"
	"github.com/parley-platform/parley/domain/channels"
	roomagents "github.com/parley-platform/parley/handlers/reactors/voice/rooms"
)

// dispatchedWithin is how long an agent of LiveKit's that was called into a room may come before ours does.
const dispatchedWithin = 5 * time.Second

// joinRoom has an agent join the room of a call. Each try has an identity of its own: of two nodes that try, the one
// that does not get the call leaves, and takes nobody's place.
func (n Needs) joinRoom(p providers) func(context.Context, channels.Connection, calls.State) (roomagents.Line, error) {
	return func(ctx context.Context, c channels.Connection, of calls.State) (roomagents.Line, error) {
		url, inside, err := p.rooms.Place(c)
		if err != nil {
			return nil, fmt.Errorf("%w: %w", roomagents.ErrStaysOut, err)
		}
		identity := "agent-" + uuid.NewString()
		at := livekit.Access{URL: url, Inside: inside,
			Token: func() (string, error) { return p.rooms.Come(c, identity, of.Arrival.ProviderID) }}
		if of.Arrival.AgentName != "" {
			at.Yields = dispatchedWithin
		}
		leg, err := p.inRooms.Join(ctx, at, n.line(p, of.Request.TenantID), p.pacer)
		for _, forGood := range []error{livekit.ErrRefused, livekit.ErrNoRoom, livekit.ErrNoSound, livekit.ErrOther} {
			if errors.Is(err, forGood) {
				return nil, fmt.Errorf("%w: %w", roomagents.ErrStaysOut, err)
			}
		}
		if err != nil {
			return nil, err
		}
		return leg, nil
	}
}
