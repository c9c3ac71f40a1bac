package node

import (
	"context"
	"fmt"
	"net/url"

	"github.com/parley-platform/parley/adapters/tracing"
)

// sendTraces begins to send traces, if a collector was named.
func (n *Node) sendTraces(ctx context.Context) error {
	if n.cfg.TraceEndpoint == "" {
		return nil
	}
	if u, err := url.Parse(n.cfg.TraceEndpoint); err != nil || u.Host == "" || (u.Scheme != "http" && u.Scheme != "https") {
		return fmt.Errorf("--trace-endpoint %s: an address such as http://127.0.0.1:4318 is wanted", n.cfg.TraceEndpoint)
	}
	if n.cfg.TraceShare < 0 || n.cfg.TraceShare > 1 {
		return fmt.Errorf("--trace-share: %g is outside 0 to 1", n.cfg.TraceShare)
	}
	stop, err := tracing.Start(ctx, tracing.Config{Endpoint: n.cfg.TraceEndpoint, Share: n.cfg.TraceShare, Node: n.id, Log: n.log})
	if err != nil {
		return err
	}
	n.closing(stop)
	return nil
}
