package channels

import (
	"cmp"
	"context"

	"github.com/parley-platform/parley/domain/channels"
	"github.com/parley-platform/parley/domain/threads"
	"github.com/parley-platform/parley/handlers/acts"
	"github.com/parley-platform/parley/handlers/acts/connected"
	"github.com/parley-platform/parley/handlers/rest"
	models "github.com/parley-platform/parley/projections/channels"
)

// Threads takes what providers say into the threads of their connections: when it returns, it is
// on the log.
type Threads struct {
	rest.Commands
	Deliveries takenReader
	Counts     *connected.Counts // of what comes by no webhook; nil: nobody counts
}

// takenReader knows of which delivery a provider took a part by an id.
type takenReader interface {
	Taken(ctx context.Context, tenant, connection, providerMessageID string) (models.Delivery, bool, error)
}

// by is the provider of a connection, with what it says once.
func (x Threads) by(ctx context.Context, c channels.Connection, requestID string) acts.Caller {
	by := connected.By(x.Caller(ctx), c, requestID)
	by.CorrelationID = cmp.Or(by.CorrelationID, requestID) // what comes by no request begins with itself
	return by
}

// received is what a person said by a connection, as a thread takes it.
func (x Threads) received(c channels.Connection, e channels.Entry) threads.Receive {
	return threads.Receive{TenantID: c.TenantID, ProjectID: c.ProjectID, ConnectionID: c.ID, Kind: c.Kind, Entry: e, At: x.Now()}
}

// Entry takes what a person said.
func (x Threads) Entry(ctx context.Context, c channels.Connection, requestID string, e channels.Entry) error {
	stream := threads.Stream(x.MAC, c.TenantID, c.ID, e.Thread)
	_, err := acts.Execute(ctx, x.Log, x.by(ctx, c, requestID), threads.Threads, stream, x.received(c, e).Decide)
	return err
}

// Report takes what became of a reply. One that nobody here has sent is nobody's.
func (x Threads) Report(ctx context.Context, c channels.Connection, requestID string, r channels.Report) error {
	d, ok, err := x.Deliveries.Taken(ctx, c.TenantID, c.ID, r.ProviderMessageID)
	if err != nil || !ok {
		return err
	}
	cmd := threads.Report{Reply: d.Reply, Says: r, At: x.Now()}
	_, err = acts.Execute(ctx, x.Log, x.by(ctx, c, requestID), threads.Threads, threads.Threads.Stream(d.ThreadID), cmd.Decide)
	return err
}
