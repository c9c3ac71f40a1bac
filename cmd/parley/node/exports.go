package node

import (
	"context"
	"time"

	"github.com/parley-platform/parley/domain/exports"
	"github.com/parley-platform/parley/domain/voicemails"
	"github.com/parley-platform/parley/eventstore"
	"github.com/parley-platform/parley/handlers/reactors"
	"github.com/parley-platform/parley/handlers/reactors/platform"
	"github.com/parley-platform/parley/handlers/reactors/reporting"
	"github.com/parley-platform/parley/handlers/rest"
	"github.com/parley-platform/parley/projections"
)

// fileLinks makes the signed addresses of files.
func (n *Node) fileLinks() rest.FileLinks {
	return rest.FileLinks{MAC: n.vault.MAC, Base: n.URL, Now: n.clock.Now}
}

// exporter is the reactor that builds the files of exports.
func (n *Node) exporter() reactors.Reactor {
	return reporting.Exporter{Store: n.store, Blobs: n.blobs, Now: n.clock.Now,
		Backoff: platform.WebhookBackoff, Log: n.log}.Reactor()
}

// wakeExport is the handler of the export jobs' timer.
func (n *Node) wakeExport(ctx context.Context, t projections.Timer, now time.Time) error {
	_, err := eventstore.Execute(ctx, n.store, exports.Jobs, t.Stream, eventstore.Command{Tenant: t.Tenant, Actor: "timer:export"},
		exports.Wake{At: now}.Decide)
	return err
}

// retryTranscription is the handler of the voicemails' timer.
func (n *Node) retryTranscription(ctx context.Context, t projections.Timer, now time.Time) error {
	_, err := eventstore.Execute(ctx, n.store, voicemails.Voicemails, t.Stream, eventstore.Command{Tenant: t.Tenant,
		Actor: "timer:transcription"}, voicemails.RetryTranscription{At: now}.Decide)
	return err
}
