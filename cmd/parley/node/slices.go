package node

import (
	"context"

	"github.com/parley-platform/parley/adapters/genai"
	"github.com/parley-platform/parley/adapters/webhook"
	"github.com/parley-platform/parley/cmd/parley/slices"
	"github.com/parley-platform/parley/domain/pacing"
)

// guard is for addresses that callers give.
func (n *Node) guard() webhook.Guard {
	return webhook.Guard{AllowLoopback: n.cfg.Dev, Hosts: n.cfg.Hosts}
}

// takeSlices puts the groups together, and hands them what this node has.
func (n *Node) takeSlices(context.Context) (err error) {
	watch := genai.New(n.cfg.TraceAgents)
	n.registry.MustRegister(watch)
	n.slices, err = slices.All(slices.Needs{Node: n.id, Store: n.store, Keys: n.keys, Read: n.db.Queries, Projector: n.projector,
		Vault: n.vault,
		Blobs: n.blobs, Now: n.clock.Now, Log: n.log, URL: n.URL, Guard: n.guard(), Watch: watch,
		Settings: slices.Settings{KeyLimit: n.cfg.KeyLimit, StreamHeartbeat: n.cfg.StreamHeartbeat, SimSpeed: n.cfg.SimSpeed,
			DeploymentDrain: n.cfg.DeploymentDrain, ConcurrentSessions: n.cfg.ConcurrentSessions, Turns: n.cfg.Turns,
			WaitingMessages: n.cfg.WaitingMessages,
			CallLease:       n.cfg.CallLease, ErasureCalm: n.cfg.ErasureCalm, RetentionGrace: n.cfg.RetentionGrace,
			Providers:     n.cfg.Providers,
			SandboxOff:    n.cfg.SandboxOff,
			CampaignLines: pacing.Lines{Voice: n.cfg.CampaignLines, SMS: n.cfg.CampaignMessages}}})
	if err != nil {
		return err
	}
	for _, s := range n.slices {
		n.registry.MustRegister(s.Measures...)
	}
	n.closing(func(ctx context.Context) {
		for _, s := range n.slices {
			for _, stop := range s.Close {
				if err := stop(ctx); err != nil {
					n.log.Warn("not everything ended in time; what was left is ended by its lease", "error", err)
				}
			}
		}
	})
	return nil
}
