package contactcenter

import (
	"context"

	"github.com/parley-platform/parley/domain/event"
	"github.com/parley-platform/parley/domain/transfers"
	"github.com/parley-platform/parley/domain/waitinglines"
	"github.com/parley-platform/parley/handlers/acts/assign"
	"github.com/parley-platform/parley/handlers/reactors"
)

// TransferDriver goes on with every transfer that something happened to: what a request
// or a node did not live to finish is finished by it.
type TransferDriver struct{ Process assign.Process }

// Reactor declares it. Driving a transfer twice is driving it once.
func (t TransferDriver) Reactor() reactors.Reactor {
	return reactors.Reactor{Name: "transfer-driver", Categories: []*event.Category{transfers.Transfers.Category, waitinglines.Lines.Category},
		Side: reactors.AtLeastOnce, Handle: t.handle,
		Events: []event.Payload{transfers.Requested{}, transfers.Offered{}, transfers.Declined{}, transfers.Queued{}, transfers.Assigned{},
			transfers.Failed{}, transfers.TimedOut{}, transfers.Ended{}, transfers.Erased{}, waitinglines.Entered{}}}
}

// causeOf is in whose name, and because of what, a reactor goes on with a transfer.
func causeOf(reactor string, e reactors.Event) assign.Cause {
	return assign.Cause{Actor: "reactor:" + reactor, CorrelationID: e.CorrelationID, CausationID: e.ID}
}

func (t TransferDriver) handle(ctx context.Context, e reactors.Event) error {
	cause := causeOf("transfer-driver", e)
	if entered, ok := e.Payload.(waitinglines.Entered); ok {
		_, err := t.Process.Drive(ctx, cause, entered.TransferID)
		return err
	}
	return t.Process.Follow(ctx, cause, transfers.Transfers.StreamID(e.Stream), e.Payload, e.Version)
}
