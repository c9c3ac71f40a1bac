package slices

import (
	"context"
	"crypto/tls"
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"net/netip"
	"strconv"
	"syscall"
	"time"

	"github.com/parley-platform/parley/adapters/telephony/sip"
	"github.com/parley-platform/parley/adapters/vault"
	sound "github.com/parley-platform/parley/adapters/voice"
	"github.com/parley-platform/parley/domain/calls"
	"github.com/parley-platform/parley/domain/fault"
	"github.com/parley-platform/parley/handlers/reactors/voice"
	models "github.com/parley-platform/parley/projections/voice"
)

// SIP is how this node calls over SIP trunks. The zero value does not.
type SIP struct {
	Listen      string
	Public      string
	Certificate *tls.Certificate
	RTPFirst    int
	RTPLast     int
	Private     bool // trunks may be in private networks
	Spared      bool // nobody asked for the address: without it the node calls over no SIP trunk
}

// The ports of sound where nothing else is said.
const (
	firstRTP = 20_000
	lastRTP  = 24_999
)

// Filled has what was left out.
func (s SIP) Filled() SIP {
	if s.RTPFirst == 0 && s.RTPLast == 0 {
		s.RTPFirst, s.RTPLast = firstRTP, lastRTP
	}
	return s
}

// Check refuses what cannot work.
func (s SIP) Check() error {
	s = s.Filled()
	switch {
	case s.RTPFirst < 1024 || s.RTPLast > 65_535 || s.RTPLast-s.RTPFirst < 1:
		return fmt.Errorf("--rtp-ports %d-%d: must be two ports or more, of 1024 to 65535", s.RTPFirst, s.RTPLast)
	case s.Listen == "" && (s.Public != "" || s.Certificate != nil):
		return errors.New("--sip-public-address, --sip-cert and --sip-key go with --sip-listen")
	case s.Listen == "":
		return nil
	}
	host, port, err := net.SplitHostPort(s.Listen)
	if err == nil {
		_, err = strconv.ParseUint(port, 10, 16)
	}
	if err != nil {
		return fmt.Errorf("--sip-listen %s: must be an address and a port, such as 0.0.0.0:5060", s.Listen)
	}
	ip, err := netip.ParseAddr(host)
	if err != nil {
		return fmt.Errorf("--sip-listen %s: must have an IP address", s.Listen)
	}
	if s.Public == "" && ip.IsUnspecified() {
		return fmt.Errorf("--sip-listen %s: peers must be told where to send: say --sip-public-address", s.Listen)
	}
	if public, err := netip.ParseAddr(s.Public); s.Public != "" && (err != nil || public.IsUnspecified()) {
		return fmt.Errorf("--sip-public-address %s: must be an IP address", s.Public)
	}
	return nil
}

// NotHeard is that the address of a flag could not be listened on, with what to do.
func NotHeard(flag, at string, err error) error {
	todo := "name another address"
	switch {
	case errors.Is(err, syscall.EADDRINUSE):
		todo = "another program has it, perhaps another node: end that one, or name another port"
	case errors.Is(err, syscall.EADDRNOTAVAIL):
		todo = "this machine has no such address: name one of its own, or 0.0.0.0 for all"
	case errors.Is(err, syscall.EACCES):
		todo = "this user may not listen there: name a port above 1023, or allow it"
	}
	return fmt.Errorf("--%s %s: %w (%s)", flag, at, err, todo)
}

// openSIP listens, if this node is to. Every trunk that there is can be called over from then on.
func (n Needs) openSIP(p providers) (*sip.Agent, error) {
	if n.SIP.Listen == "" {
		return nil, nil
	}
	rows := models.NewSetups(n.Read)
	agent, err := sip.Open(sip.Config{Listen: n.SIP.Listen, Public: n.SIP.Public, Certificate: n.SIP.Certificate, RTPFirst: n.SIP.RTPFirst,
		RTPLast: n.SIP.RTPLast, Pacer: p.pacer, Log: n.Log, Gate: n.Gate, Together: models.NewTrunkCalls(n.Read, n.Node),
		Node: n.Node, Nodes: n.neighbours,
		Sound: func(r calls.LegRequest) sound.Options {
			return n.soundOf(p, n.Log.With("call", r.CallID), r.Language, r.Recognition)
		},
		Allow: func(a netip.Addr) bool { return n.Guard.Allows(a) || n.SIP.Private && a.Unmap().IsPrivate() },
		Trunks: func(ctx context.Context) ([]sip.Trunk, error) {
			all, err := rows.SIPTrunks(ctx)
			out := make([]sip.Trunk, len(all))
			for i, t := range all {
				out[i] = trunkOf(t)
			}
			return out, err
		},
		Numbered: func(ctx context.Context, of []sip.Number) int {
			numbers := make([]models.Number, len(of))
			for i, n := range of {
				numbers[i] = models.Number{Tenant: n.TenantID, Number: n.Number}
			}
			longest, err := rows.LongestHad(ctx, numbers)
			if err != nil {
				n.Log.Error("it cannot be told whose number is called", "error", err)
			}
			return longest
		},
		Trunk: func(ctx context.Context, tenant, name string) (sip.Trunk, error) {
			t, ok, err := rows.Trunk(ctx, tenant, name)
			if err != nil {
				return sip.Trunk{}, err
			}
			if !ok {
				return sip.Trunk{}, fault.New(fault.NotFound, "there is no SIP trunk %s", name)
			}
			return n.openTrunk(t)
		}})
	if n.SIP.Spared && errors.Is(err, syscall.EADDRINUSE) {
		n.Log.Info("somebody has the address of SIP: no call goes over a SIP trunk", "address", n.SIP.Listen)
		return nil, nil
	}
	if err != nil {
		return nil, NotHeard("sip-listen", n.SIP.Listen, err)
	}
	return agent.Serves(n.Node, n.Now), nil
}

// neighbours are the nodes that carry calls.
func (n Needs) neighbours(ctx context.Context) ([]sip.Neighbour, error) {
	there, err := models.NewMediaNodes(n.Read).There(ctx)
	out := make([]sip.Neighbour, len(there))
	for i, of := range there {
		out[i] = sip.Neighbour{Node: of.Node, At: of.SIP, Taken: of.Taken}
	}
	return out, err
}

// trunkOf is a trunk without its password.
func trunkOf(t models.Trunk) sip.Trunk {
	return sip.Trunk{TenantID: t.TenantID, Name: t.Name, Address: t.Address, Transport: t.Transport, Username: t.Username,
		Settings: t.Settings, Unreachable: t.Unreachable}
}

func (n Needs) openTrunk(t models.Trunk) (sip.Trunk, error) {
	out := trunkOf(t)
	if t.Password == "" {
		return out, nil
	}
	password, err := n.Vault.Unseal(t.Password, vault.TrunkPasswordContext(t.TenantID, t.Name))
	if err != nil {
		return out, fmt.Errorf("opening the password of the trunk %s: %w", t.Name, err)
	}
	out.Password = string(password)
	return out, nil
}

// trunkKeeper looks after the trunks' peers.
func (n Needs) trunkKeeper(agent *sip.Agent) *voice.TrunkKeeper {
	rows, keepers := models.NewSetups(n.Read), models.NewKeepers(n.Read)
	return voice.NewTrunkKeeper(voice.TrunkKeeping{Node: n.Node, Store: n.Store, Peers: agent, Keep: keepers.Keep, Release: keepers.Release,
		Gate: n.Gate, Now: n.Now, Log: n.Log, Trunks: func(ctx context.Context) ([]voice.KeptTrunk, error) {
			all, err := rows.SIPTrunks(ctx)
			out := make([]voice.KeptTrunk, 0, len(all))
			for _, t := range all {
				is := t
				is.Unreachable, is.RegisteredBy, is.NotRegistered = "", "", ""
				defined, _ := json.Marshal(is) // of plain members
				out = append(out, voice.KeptTrunk{TenantID: t.TenantID, Name: t.Name, Register: t.Settings.Register,
					Every: time.Duration(t.Settings.OptionsSeconds) * time.Second, Defined: string(defined)})
			}
			return out, err
		}})
}
