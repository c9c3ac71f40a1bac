// Package trunks owns the carriers over which a tenant's outbound calls leave, one
// stream per tenant, so that "the default carrier of the account", which dial-out takes
// when it names none, is one.
//
// It never dials and never sees a password in clear: those come sealed, with a
// keyed fingerprint by which two sealings of the same password are known as equal.
package trunks

import (
	"github.com/parley-platform/parley/domain/event"
)

// Trunks holds the stream trunks-<accountId> of each tenant. Its rules:
//
//   - a trunk's name is unique in the tenant
//   - there is exactly one default as soon as there is a trunk: the first one, until
//     another is defined as the default; while it is default, only the last trunk goes,
//     or one that another one claims the default from
//   - a definition repeated changes nothing while the default's own definition claims it,
//     even if that took it since
var Trunks = event.NewAggregate[State]("trunks", "trunks", event.Quiet)

// Stream names the stream of a tenant's trunks.
func Stream(tenantID string) string { return Trunks.Stream(tenantID) }

// Provider is what carries the calls of a trunk.
type Provider string

// The providers of trunks.
const (
	Local Provider = "local" // the simulated carrier
	SIP   Provider = "sip"   // a SIP peer
)

// Transport is how a SIP peer is reached.
type Transport string

// The transports of SIP trunks.
const (
	UDP Transport = "udp"
	TCP Transport = "tcp"
	TLS Transport = "tls"
)

// State is the state of one tenant's stream.
type State struct {
	Trunks  map[string]Trunk // by name
	Default string           // name of the default trunk; empty only when there is none
	Health  map[string]Health
}

// Trunk is one carrier of the tenant.
type Trunk struct {
	Name                string
	Provider            Provider
	DeclaredDefault     bool      // what its last definition says
	Address             string    // SIP: host or host:port
	Transport           Transport // SIP
	Username            string    // SIP; empty: no registration
	Password            string    // sealed
	PasswordFingerprint string    // keyed fingerprint of the plain password
	Settings            *Settings // SIP; nil: it was defined before there were any (see Of)
}

// Find gives the trunk with a name, or the default for an empty name.
func (s State) Find(name string) (Trunk, bool) {
	if name == "" {
		name = s.Default
	}
	t, ok := s.Trunks[name]
	return t, ok
}
