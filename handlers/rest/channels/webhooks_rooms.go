package channels

import (
	"context"

	"github.com/parley-platform/parley/domain/channels"
	"github.com/parley-platform/parley/domain/connections"
	"github.com/parley-platform/parley/domain/fault"
)

// roomReceiver is a receiver whose requests say of which room they are; empty: of none that can be ours.
type roomReceiver interface {
	Receiver
	Room(r channels.Request) string
}

// roomConnections finds the account by which a room was opened; NOT_FOUND if there is no such room.
type roomConnections interface {
	Connection(ctx context.Context, room string) (channels.Connection, error)
	// Accounts are those by which rooms may be opened, whosever they are.
	Accounts(ctx context.Context) ([]channels.Connection, error)
}

// ofRoom takes what is told of a room, by the account by which it was opened. It has the name of the path, if that
// has one: such names are of one connection in an account only.
func (x Webhooks) ofRoom(ctx context.Context, by roomReceiver, r channels.Request, room, named string) (*webhookOut, error) {
	if room == "" {
		return x.ofNoRoom(ctx, by, r, named)
	}
	c, err := x.Rooms.Connection(ctx, room)
	if err == nil && named != "" && c.External != named {
		err = connections.Unknown()
	}
	return x.receiveBy(ctx, by, r, c, err)
}

// ofNoRoom answers what names no room, as what lost its end: whoever has an account's key is told whether it says nothing to us,
// or cannot be read. Anybody else learns as much as of a room that is not there.
func (x Webhooks) ofNoRoom(ctx context.Context, by roomReceiver, r channels.Request, named string) (*webhookOut, error) {
	accounts, err := x.Rooms.Accounts(ctx)
	if err != nil {
		return nil, err
	}
	for n, c := range accounts {
		if n > 0 && n*len(r.Body) > mostJudged {
			break
		}
		if named != "" && c.External != named || by.Verify(c, r) != nil {
			continue
		}
		if _, err := by.Parse(c, r); err != nil {
			return nil, fault.New(fault.BadRequest, "%s", err)
		}
		return &webhookOut{}, nil
	}
	return x.receive(ctx, by, r, nil)
}
