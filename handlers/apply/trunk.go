package apply

import (
	"context"
	"fmt"
	"slices"

	"github.com/parley-platform/parley/domain/access"
	"github.com/parley-platform/parley/domain/trunks"
)

// TrunkSpec is the spec of kind Trunk; its metadata.name is what dial-outs name.
type TrunkSpec struct {
	Provider  string `json:"provider" jsonschema:"required,enum=local,enum=sip" jsonschema_description:"local: the simulated carrier; sip: a SIP peer."`
	Default   bool   `json:"default,omitempty" jsonschema_description:"Takes the calls that name no trunk. The tenant's first trunk is the default anyway."`
	Address   string `json:"address,omitempty" jsonschema:"example=sip.example.com:5060" jsonschema_description:"Of sip: host or host:port."`
	Transport string `json:"transport,omitempty" jsonschema:"enum=udp,enum=tcp,enum=tls" jsonschema_description:"Of sip; without one udp."`
	Username  string `json:"username,omitempty" jsonschema_description:"Of sip, for a peer that wants registration."`
	Password  string `json:"password,omitempty" jsonschema_description:"Of sip, with username."`
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
		Address: spec.Address, Transport: spec.Transport, Username: spec.Username}
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

// trunksLeft puts the default last: alone it may go.
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
		l := leftover{id: name, name: name, steps: []step{removing(trunks.Trunks, stream, remove.Decide)}}
		if heir := p.defaults[tenant]; heir != nil && name == s.Default {
			l.refused = fmt.Sprintf("it took the default from %s, which a repeated claim does not bring back: apply that once without "+
				"spec.default, then with it", heir.title())
		}
		left = append(left, l)
	}
	return left, nil
}
