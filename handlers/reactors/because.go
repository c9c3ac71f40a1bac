package reactors

import (
	"github.com/parley-platform/parley/eventstore"
)

// Because is the command of a reactor that an event caused: sent again for the
// same event and step it is executed once.
func Because(reactor, step string, e Event) eventstore.Command {
	return eventstore.Command{Tenant: e.Tenant, Actor: "reactor:" + reactor, CorrelationID: e.CorrelationID, CausationID: e.ID,
		RequestID: eventstore.CauseID(reactor, e.ID, step)}
}
