package trunks

import (
	"net"
	"regexp"
	"strconv"
	"strings"

	"github.com/parley-platform/parley/domain/access"
	"github.com/parley-platform/parley/domain/event"
	"github.com/parley-platform/parley/domain/fault"
)

// DefineTrunk makes or changes a trunk (manifest kind Trunk).
type DefineTrunk struct {
	TenantID  string
	Name      string // metadata.name
	Provider  string // spec.provider: local or sip
	Default   bool   // spec.default
	Address   string // spec.address: host or host:port, sip only
	Transport string // spec.transport: udp (when empty), tcp or tls, sip only
	Username  string // spec.username, sip only

	// The sealed password and the keyed fingerprint of its plain text; both empty
	// for a peer that knows us by address.
	Password            string // spec.password
	PasswordFingerprint string

	Given Given // the rest of spec, sip only
}

// TrunkDefined says what the trunk now is. When Default is true, every other trunk
// of the tenant has ceased to be the default.
type TrunkDefined struct {
	TenantID            string    `json:"tenantId"`
	Name                string    `json:"name"`
	Provider            Provider  `json:"provider"`
	Default             bool      `json:"default"`
	DeclaredDefault     bool      `json:"declaredDefault"`
	Address             string    `json:"address,omitempty"`
	Transport           Transport `json:"transport,omitempty"`
	Username            string    `json:"username,omitempty"`
	Password            string    `json:"password,omitempty"` // sealed
	PasswordFingerprint string    `json:"passwordFingerprint,omitempty"`
	Settings            *Settings `json:"settings,omitempty"` // of sip; absent on one that was defined before there were any
}

var _ = event.Register[TrunkDefined](Trunks, "defined", 1)

// Decide lets a trunk take the default when its definition newly claims it, or when that of
// the default does not claim it. A definition that ceases to claim it hands it to the one
// trunk that does, and leaves it in place where there is none.
func (c DefineTrunk) Decide(s State) ([]event.Payload, error) {
	trunk, err := c.trunk()
	if err != nil {
		return nil, err
	}
	old, exists := s.Trunks[trunk.Name]
	if exists && trunk.PasswordFingerprint == old.PasswordFingerprint {
		trunk.Password = old.Password
	}
	claims := c.Default && (!old.DeclaredDefault || !s.Trunks[s.Default].DeclaredDefault)
	if exists && trunk.equal(old) && !claims {
		return nil, nil
	}
	heir, handsOver := s.heir(trunk.Name)
	handsOver = handsOver && old.DeclaredDefault && !c.Default
	events := []event.Payload{trunk.defined(c.TenantID, claims || s.Default == "" || s.Default == trunk.Name && !handsOver)}
	if handsOver {
		events = append(events, heir.defined(c.TenantID, true))
	}
	return events, nil
}

// heir is the trunk that the default goes to when the default does not claim it any more, or
// goes: the one of the others whose definition claims it.
func (s State) heir(of string) (heir Trunk, ok bool) {
	if s.Default != of {
		return Trunk{}, false
	}
	for name, t := range s.Trunks {
		if name != of && t.DeclaredDefault {
			if ok {
				return Trunk{}, false // which of them should carry the calls is for the owner to say
			}
			heir, ok = t, true
		}
	}
	return heir, ok
}

func (t Trunk) defined(tenant string, isDefault bool) TrunkDefined {
	return TrunkDefined{TenantID: tenant, Name: t.Name, Provider: t.Provider, Default: isDefault, DeclaredDefault: t.DeclaredDefault,
		Address: t.Address, Transport: t.Transport, Username: t.Username, Password: t.Password,
		PasswordFingerprint: t.PasswordFingerprint, Settings: t.Settings.clone()}
}

func (c DefineTrunk) trunk() (Trunk, error) {
	var f fault.Fields
	name := access.CheckName(&f, "metadata.name", c.Name)
	t := Trunk{Name: name, Provider: Provider(c.Provider), DeclaredDefault: c.Default, Address: c.Address,
		Transport: Transport(c.Transport), Username: c.Username,
		Password: c.Password, PasswordFingerprint: c.PasswordFingerprint}
	switch t.Provider {
	case Local:
		c.checkLocal(&f)
	case SIP:
		t.Transport = c.checkSIP(&f)
		t.Settings = c.Given.settings(&f, t)
	default:
		f.Add("spec.provider", "must be %s or %s", Local, SIP)
	}
	return t, f.Err()
}

// checkLocal refuses what the simulated carrier would silently ignore.
func (c DefineTrunk) checkLocal(f *fault.Fields) {
	for _, member := range []struct{ field, value string }{
		{"spec.address", c.Address}, {"spec.transport", c.Transport},
		{"spec.username", c.Username}, {"spec.password", c.Password},
	} {
		if member.value != "" {
			f.Add(member.field, "does not go with spec.provider %s", Local)
		}
	}
	for _, field := range c.Given.anything() {
		f.Add(field, "does not go with spec.provider %s", Local)
	}
}

func (c DefineTrunk) checkSIP(f *fault.Fields) Transport {
	if !validAddress(c.Address) {
		f.Add("spec.address", "must be host or host:port, such as sip.example.com:5060")
	}
	if c.Password != "" && c.Username == "" {
		f.Add("spec.username", "is required with spec.password")
	}
	if (c.Password == "") != (c.PasswordFingerprint == "") {
		f.Add("spec.password", "and its fingerprint go together")
	}
	switch t := Transport(c.Transport); t {
	case "":
		return UDP
	case UDP, TCP, TLS:
		return t
	}
	f.Add("spec.transport", "must be %s, %s or %s", UDP, TCP, TLS)
	return ""
}

var hostName = regexp.MustCompile(`^[A-Za-z0-9]([A-Za-z0-9-]*[A-Za-z0-9])?(\.[A-Za-z0-9]([A-Za-z0-9-]*[A-Za-z0-9])?)*$`)

// validAddress takes names, IPv4 and bracketed IPv6 addresses; it resolves nothing.
func validAddress(address string) bool {
	if len(address) > 255 {
		return false
	}
	host, port, err := net.SplitHostPort(address)
	if err != nil {
		host, port = strings.TrimSuffix(strings.TrimPrefix(address, "["), "]"), "5060"
		if strings.Contains(host, ":") && host == address {
			return false // a bare IPv6 address: its port would be a guess
		}
	}
	number, err := strconv.Atoi(port)
	if err != nil || number < 1 || number > 65535 {
		return false
	}
	return hostName.MatchString(host) || net.ParseIP(host) != nil
}

// Apply folds the event.
func (e TrunkDefined) Apply(s *State) {
	if s.Trunks == nil {
		s.Trunks = map[string]Trunk{}
	}
	s.Trunks[e.Name] = Trunk{Name: e.Name, Provider: e.Provider, DeclaredDefault: e.DeclaredDefault, Address: e.Address,
		Transport: e.Transport, Username: e.Username, Password: e.Password, PasswordFingerprint: e.PasswordFingerprint,
		Settings: e.Settings.clone()}
	delete(s.Health, e.Name) // what was seen was seen of what it was
	if e.Default {
		s.Default = e.Name
	}
}
