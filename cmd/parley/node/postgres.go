package node

import (
	"context"
	"errors"
	"github.com/parley-platform/parley/adapters/embedded/private"
	"path/filepath"
	"time"
)

// embeddedPostgres runs a private Postgres until the node closes, and starts it again
// when it ends by itself: killed for its memory, say. Nothing is lost by that, since
// the read models are checked against the log before they are served again.
func (n *Node) embeddedPostgres(ctx context.Context) (url string, err error) {
	cfg := private.PostgresConfig{Dir: filepath.Join(n.cfg.Data, "postgres"), Log: n.log.With("part", "postgres")}
	p, err := private.StartPostgres(ctx, cfg)
	if err != nil {
		return "", err
	}
	run, stop := context.WithCancel(context.WithoutCancel(ctx))
	done := make(chan struct{})
	go func() {
		defer close(done)
		n.keepRunning(run, cfg, p)
	}()
	n.closing(func(context.Context) {
		stop()
		<-done
	})
	return p.LocalURL(), nil
}

// restartPause keeps a server that cannot run from being started in a tight loop.
const restartPause = time.Second

func (n *Node) keepRunning(ctx context.Context, cfg private.PostgresConfig, p *private.Postgres) {
	for {
		select {
		case <-ctx.Done():
			n.stopPostgres(p)
			return
		case <-p.Done():
		}
		n.log.Error("the embedded Postgres ended; starting it again", "folder", cfg.Dir)
		cfg.Port = p.Port() // this node's pools, and whoever else connected, know no other
		n.stopPostgres(p)   // gives its folder back
		if p = n.startAgain(ctx, cfg); p == nil {
			return
		}
	}
}

func (n *Node) stopPostgres(p *private.Postgres) {
	if err := p.Close(); err != nil {
		n.log.Warn("the embedded Postgres did not stop cleanly", "error", err)
	}
}

// startAgain tries until it succeeds, or the node closes: then it returns nil.
func (n *Node) startAgain(ctx context.Context, cfg private.PostgresConfig) *private.Postgres {
	for {
		p, err := private.StartPostgres(ctx, cfg)
		if err == nil {
			return p
		}
		if !errors.Is(err, context.Canceled) {
			n.log.Error("the embedded Postgres does not start; trying on", "port", cfg.Port, "error", err)
		}
		select {
		case <-ctx.Done():
			return nil
		case <-time.After(restartPause):
		}
	}
}
