package node

import (
	"context"
	"path/filepath"

	"github.com/parley-platform/parley/adapters/genai"
	"github.com/parley-platform/parley/adapters/webhook"
	"github.com/parley-platform/parley/cmd/parley/slices"
	"github.com/parley-platform/parley/domain/pacing"
	"github.com/parley-platform/parley/handlers/rest"
	"github.com/parley-platform/parley/projections/voice"
)

// guard is for addresses that callers give.
func (n *Node) guard() webhook.Guard {
	return webhook.Guard{AllowLoopback: n.cfg.Dev, Hosts: n.cfg.Hosts}
}

// sip is for the nodes that carry calls over trunks.
func (n *Node) sip() slices.SIP {
	if !n.cfg.has(RoleMedia) {
		if n.cfg.SIP.Listen != "" && !n.cfg.SIP.Spared {
			n.log.Warn("this node listens for no SIP: --sip-listen is for nodes with the role media", "roles", n.cfg.Roles)
		}
		return slices.SIP{}
	}
	return n.cfg.SIP
}

// takeSlices puts the groups together, and hands them what this node has.
func (n *Node) takeSlices(context.Context) (err error) {
	watch := genai.New(n.cfg.TraceAgents)
	n.registry.MustRegister(watch)
	n.slices, err = slices.All(slices.Needs{Node: n.id, Store: n.store, Keys: n.keys, Read: n.db.Queries, Projector: n.projector,
		Vault: n.vault,
		Blobs: n.blobs, Now: n.clock.Now, Log: n.log, URL: n.URL, Gate: n.gate,
		Reached: n.cfg.PublicURL != "" || n.cfg.Dev, Guard: n.guard(), Watch: watch, Metrics: n.registry, Pages: n.pages,
		Settings: slices.Settings{KeyLimit: n.cfg.KeyLimit, StreamHeartbeat: n.cfg.StreamHeartbeat, SimSpeed: n.cfg.SimSpeed,
			RecordingFolder: filepath.Join(n.cfg.Data, "recordings"),
			DeploymentDrain: n.cfg.DeploymentDrain, ConcurrentSessions: n.cfg.ConcurrentSessions, Turns: n.cfg.Turns,
			WaitingMessages: n.cfg.WaitingMessages,
			CallLease:       n.cfg.CallLease, ErasureCalm: n.cfg.ErasureCalm, RetentionGrace: n.cfg.RetentionGrace,
			Providers:     n.cfg.Providers,
			SandboxOff:    n.cfg.SandboxOff,
			SIP:           n.sip(),
			MediaCalls:    n.cfg.MediaCalls,
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

// trunkTroubles are how many trunks do not answer, and how many do not register us. Which they are, and
// whose, is not for everybody who may ask whether a node is ready.
type trunkTroubles struct {
	Unreachable   int `json:"unreachable"`
	NotRegistered int `json:"notRegistered"`
}

// trunksPart says what was last seen of the peers of trunks. A node is ready without them.
func (n *Node) trunksPart(ctx context.Context) rest.Part {
	part := rest.Part{Name: "trunks", Ready: true}
	all, err := voice.NewSetups(n.db.Queries).SIPTrunks(ctx)
	if err != nil {
		part.Degraded, part.Detail = true, "the trunks cannot be read"
		return part
	}
	var troubles trunkTroubles
	for _, t := range all {
		switch {
		case t.Unreachable != "":
			troubles.Unreachable++
		case t.Settings.Register && t.NotRegistered != "":
			troubles.NotRegistered++
		}
	}
	if part.Degraded = troubles != (trunkTroubles{}); part.Degraded {
		part.Detail = troubles
	}
	return part
}
