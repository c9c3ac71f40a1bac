package apply

import (
	"context"
	"slices"

	"github.com/parley-platform/parley/domain/access"
	"github.com/parley-platform/parley/domain/trunks"
)

// TrunkSpec is the spec of kind Trunk; its metadata.name is what dial-outs name.
type TrunkSpec struct {
	Provider  string `json:"provider" jsonschema:"required,enum=local,enum=sip" jsonschema_description:"local: the simulated carrier; sip: a SIP peer."`
	Default   bool   `json:"default,omitempty" jsonschema_description:"Takes the calls that name no trunk. The tenant's first trunk is the default anyway. One that claims it anew takes it; when that claims it no more, or goes, the other one that does has it back."`
	Address   string `json:"address,omitempty" jsonschema:"example=sip.example.com:5060" jsonschema_description:"Of sip: host or host:port."`
	Transport string `json:"transport,omitempty" jsonschema:"enum=udp,enum=tcp,enum=tls" jsonschema_description:"Of sip; without one udp."`
	Username  string `json:"username,omitempty" jsonschema_description:"Of sip, for a peer that wants registration."`
	Password  string `json:"password,omitempty" jsonschema_description:"Of sip, with username."`

	Register       *bool         `json:"register,omitempty" jsonschema_description:"Of sip: whether one of our nodes registers, so that calls come in; as it is with username."`
	OutboundProxy  string        `json:"outboundProxy,omitempty" jsonschema:"example=sbc.example.com:5060" jsonschema_description:"Of sip: host or host:port that requests are sent to in place of the address."`
	FromDomain     string        `json:"fromDomain,omitempty" jsonschema_description:"Of sip: the host in our own addresses; that of the address without one."`
	CallerIDHeader string        `json:"callerIdHeader,omitempty" jsonschema:"enum=from,enum=pai,enum=both" jsonschema_description:"Of sip: where our number stands, From (when left out), P-Asserted-Identity, or both."`
	NumberFormat   string        `json:"numberFormat,omitempty" jsonschema:"enum=+e164,enum=e164,enum=national" jsonschema_description:"Of sip: how numbers are written: +4930123456 (when left out), 4930123456, or 030123456 in the country."`
	Country        string        `json:"country,omitempty" jsonschema:"example=49" jsonschema_description:"Of sip: calling code, for numbers without one."`
	Codecs         []string      `json:"codecs,omitempty" jsonschema:"enum=PCMU,enum=PCMA" jsonschema_description:"Of sip, in order of preference; without one PCMU, then PCMA."`
	SRTP           string        `json:"srtp,omitempty" jsonschema:"enum=off,enum=offer,enum=require" jsonschema_description:"Of sip over tls: whether the sound is encrypted; off when left out."`
	DTMF           string        `json:"dtmf,omitempty" jsonschema:"enum=rfc4733,enum=info" jsonschema_description:"Of sip: how digits are sent; both are heard. rfc4733 when left out."`
	OptionsSeconds *int          `json:"optionsSeconds,omitempty" jsonschema:"example=30" jsonschema_description:"Of sip: time between two looks at the peer, 5 to 3600; 0 takes none. Calls over one that did not answer twice fail at once."`
	MaxCalls       int           `json:"maxCalls,omitempty" jsonschema_description:"Of sip: calls at once, of each node; no bound when left out."`
	CallsPerSecond int           `json:"callsPerSecond,omitempty" jsonschema_description:"Of sip: calls begun in a second, of each node; no bound when left out."`
	Inbound        *TrunkInbound `json:"inbound,omitempty" jsonschema_description:"Of sip: calls that come in."`
	TLS            *TrunkTLS     `json:"tls,omitempty" jsonschema_description:"Of sip over tls."`
	RTPNAT         bool          `json:"rtpNat,omitempty" jsonschema_description:"Of sip: the peer's sound may come from another address than its SDP says."`
	Refuse         []string      `json:"refuse,omitempty" jsonschema:"example=+49900" jsonschema_description:"Of sip: numbers that begin so are not dialled, with their country code."`
	Fallbacks      []string      `json:"fallbacks,omitempty" jsonschema_description:"Of sip: trunks, by their names, that take its calls while it is not reached, in order of preference."`
	Transfers      string        `json:"transfers,omitempty" jsonschema:"enum=bridge,enum=refer,enum=attended" jsonschema_description:"Of sip: how people come onto its calls. bridge (when left out): we call them, tell them what it is about, and join the two. refer: the peer is asked to call them (REFER), and the call leaves us; where it does not do so, bridge. attended: we call them and tell them what it is about, and the peer is asked to join the two (REFER with Replaces); where it does not do so, bridge."`
}

// TrunkInbound is about the calls that come in over a trunk.
type TrunkInbound struct {
	Sources []string `json:"sources,omitempty" jsonschema:"example=192.0.2.0/24" jsonschema_description:"Addresses, and blocks of them, that calls may come from besides the address of the trunk."`
}

// TrunkTLS is how the peer is believed.
type TrunkTLS struct {
	CA string `json:"ca,omitempty" jsonschema_description:"Certificates that sign the peer's, PEM; those that this machine trusts without any."`
}

// given is what a manifest says beyond the address.
func (t TrunkSpec) given() trunks.Given {
	g := trunks.Given{Register: t.Register, OutboundProxy: t.OutboundProxy, FromDomain: t.FromDomain, CallerIDHeader: t.CallerIDHeader,
		NumberFormat: t.NumberFormat, Country: t.Country, Codecs: t.Codecs, SRTP: t.SRTP, DTMF: t.DTMF, OptionsSeconds: t.OptionsSeconds,
		MaxCalls: t.MaxCalls, CallsPerSecond: t.CallsPerSecond, RTPNAT: t.RTPNAT, Refuse: t.Refuse, Fallbacks: t.Fallbacks,
		Transfers: t.Transfers}
	if t.Inbound != nil {
		g.Sources = t.Inbound.Sources
	}
	if t.TLS != nil {
		g.CA = t.TLS.CA
	}
	return g
}

var trunkKind = define(label{
	name:  trunkName,
	about: "A carrier of the tenant, over which its outbound calls leave. It is known by its metadata.name.",
	named: true,
}, trunkSteps, nil).pruned(trunksLeft)

func trunkSteps(ctx context.Context, p *planner, d *draft, spec TrunkSpec) ([]step, error) {
	if _, err := p.tenant(ctx, d); err != nil {
		return nil, err
	}
	name, problem := access.CleanName(d.meta.Name)
	if problem == "" {
		p.claim(d, "metadata.name", d.meta.Tenant, name)
	}
	if first := p.defaults[d.meta.Tenant]; spec.Default && first != nil {
		d.fault("spec.default", "is claimed by two trunks of this set, first by %s", first.place())
	} else if spec.Default {
		p.defaults[d.meta.Tenant] = d
	}
	define := trunks.DefineTrunk{TenantID: d.meta.Tenant, Name: d.meta.Name, Provider: spec.Provider, Default: spec.Default,
		Address: spec.Address, Transport: spec.Transport, Username: spec.Username, Given: spec.given()}
	if spec.Password != "" {
		password, err := d.sealSecret("spec.password", spec.Password, p.vault.SealTrunkPassword, name)
		if err != nil {
			return nil, err
		}
		define.Password, define.PasswordFingerprint = password.sealed, password.fingerprint
	}
	exists := func(s trunks.State) bool { _, ok := s.Trunks[name]; return ok }
	return []step{on(trunks.Trunks, trunks.Stream(d.meta.Tenant), define.Decide, exists)}, nil
}

// trunksLeft puts the default last: alone, or beside one that claims it, it may go.
func trunksLeft(ctx context.Context, p *planner, tenant string) ([]leftover, error) {
	stream := trunks.Stream(tenant)
	s, err := stateOf(ctx, p, trunks.Trunks, stream)
	if err != nil {
		return nil, err
	}
	names := unnamed(p, s.Trunks, trunkName, tenant)
	if i := slices.Index(names, s.Default); i >= 0 {
		names = append(slices.Delete(names, i, i+1), s.Default)
	}
	var left []leftover
	for _, name := range names {
		remove := trunks.RemoveTrunk{TenantID: tenant, Name: name}
		left = append(left, leftover{id: name, name: name, steps: []step{removing(trunks.Trunks, stream, remove.Decide)}})
	}
	return left, nil
}
