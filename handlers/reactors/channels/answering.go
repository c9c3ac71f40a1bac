package channels

import (
	"context"

	"github.com/parley-platform/parley/domain/connections"
	"github.com/parley-platform/parley/eventstore"
	"github.com/parley-platform/parley/handlers/acts"
)

// see shows with the connection by which a session was to begin that nobody answers, or that somebody does again. The
// message does not wait for that.
func (g *giving) see(ctx context.Context, wrong *connections.Trouble) {
	if g.account.ID == "" || wrong == nil && !g.account.Unanswered {
		return
	}
	seen := connections.Observe{About: connections.Answering, Trouble: wrong, At: g.Turns.Now()}
	by := eventstore.Command{Tenant: g.account.TenantID, Actor: "reactor:" + threadTurns}
	if err := eventstore.Do(ctx, g.Turns.Store, connections.Connections, connections.Stream(g.account.TenantID, g.account.ID), by,
		seen.Decide); err != nil {
		acts.Logger(ctx).Warn("who answers by a connection is not noted", "connection", g.account.ID, "error", err)
	}
}
