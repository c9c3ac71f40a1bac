package node

import (
	"context"

	"github.com/parley-platform/parley/adapters/tracing"
	"github.com/parley-platform/parley/cmd/parley/exit"
	"github.com/parley-platform/parley/cmd/parley/version"
)

// sendTraces begins to send traces, if a collector was named.
func (n *Node) sendTraces(ctx context.Context) error {
	if share := n.cfg.TraceShare; share != nil && !(*share >= 0 && *share <= 1) {
		return exit.Wrongf("--trace-share: %g is outside 0 to 1", *share)
	}
	stop, err := tracing.Start(ctx, tracing.Config{Endpoint: n.cfg.TraceEndpoint, Share: n.cfg.TraceShare, About: n.about, Log: n.log})
	if err != nil { // of settings: nobody was asked yet
		return exit.Wrongf("%s", err)
	}
	if stop != nil {
		n.closing(stop)
	}
	return nil
}

// introduce says in the metrics, and later in traces, which Parley this is.
func (n *Node) introduce(ctx context.Context) error {
	n.about = tracing.About(ctx, version.Number, n.id, n.log)
	n.registry.MustRegister(aboutThis(n.about)...)
	return nil
}
