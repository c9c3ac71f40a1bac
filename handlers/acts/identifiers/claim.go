// Package identifiers is the act of taking what a provider calls an account for a connection
// that is about to be made. It never makes the connection.
package identifiers

import (
	"context"

	"github.com/parley-platform/parley/domain/connections"
	"github.com/parley-platform/parley/domain/fault"
	"github.com/parley-platform/parley/eventstore"
	"github.com/parley-platform/parley/handlers/acts"
)

// tries is how many claims of others are found to hold nothing before one gives up: each is of
// somebody who wants the same at this moment.
const tries = 16

// actor is who acts on streams that are not the caller's: they do not show who he is.
const actor = "reactor:identifiers"

// Claim takes the external identifier of a connection that is about to be made, by a claim of
// its own, or refuses where a connection has it, whosever that is.
func Claim(ctx context.Context, l acts.Log, by acts.Caller, c connections.Create) error {
	by = by.Further() // what these commands have done is seen in the streams
	by.Tenant = connections.Server
	claim := connections.Claim{TenantID: c.TenantID, ConnectionID: c.ConnectionID, ClaimID: c.ClaimID}
	stream := c.Kind.IdentifierStream(l.MAC, c.TenantID, c.External)
	for range tries {
		_, err := acts.Execute(ctx, l, by, connections.Identifiers, stream, claim.Decide)
		if !fault.Is(err, fault.Conflict) {
			return err
		}
		if claim.Over, err = giveUp(ctx, l, by, stream); err != nil {
			return err
		}
	}
	return connections.Taken()
}

// giveUp finds that who claimed the identifier does not have it, or refuses.
func giveUp(ctx context.Context, l acts.Log, by acts.Caller, stream string) (over string, err error) {
	read, err := eventstore.Read(ctx, l.Store, connections.Identifiers, stream)
	if err != nil {
		return "", err
	}
	s := read.State
	by.Tenant, by.Actor = s.TenantID, actor
	cmd := connections.GiveUp{ConnectionID: s.ConnectionID, ClaimID: s.ClaimID}
	_, err = acts.Execute(ctx, l, by, connections.Connections, connections.Stream(s.TenantID, s.ConnectionID), cmd.Decide)
	return s.ClaimID, err
}
