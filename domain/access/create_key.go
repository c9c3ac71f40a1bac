package access

import (
	"fmt"
	"net/netip"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode"

	"github.com/parley-platform/parley/domain/event"
	"github.com/parley-platform/parley/domain/fault"
)

// MaxOrigins is how many origins one public key can be held to.
const MaxOrigins = 50

// CreateKey makes an API key in a scope (create-api-key).
type CreateKey struct {
	KeyID          string   // ak-...
	Name           string   // api_key_name
	Kind           KeyKind  // empty: secret
	Hash           string   // keyed hash of the secret, as text; the secret itself never comes here
	DisplayPrefix  string   // see DisplayPrefix
	AllowedOrigins []string // public keys only, and at least one there
	At             time.Time
	Limit          int // existing keys the scope may have; 0: DefaultKeyLimit
}

// KeyCreated says that the key opens what its scope permits.
type KeyCreated struct {
	TenantID       string    `json:"tenantId"`
	ProjectID      string    `json:"projectId"`
	ScopeID        string    `json:"scopeId"`
	ScopeName      string    `json:"scopeName"`
	KeyID          string    `json:"keyId"`
	Name           string    `json:"name"`
	Kind           KeyKind   `json:"kind"`
	Hash           string    `json:"hash"`
	DisplayPrefix  string    `json:"displayPrefix"`
	AllowedOrigins []string  `json:"allowedOrigins,omitempty"`
	CreatedAt      time.Time `json:"createdAt"`
}

var _ = event.Register[KeyCreated](Scopes, "key-created", 1)

// Decide refuses in the order of docs/api-rules.md "Order of refusals": 404, then 400
// on fields, then a taken name, then the limit.
func (c CreateKey) Decide(s ScopeState) ([]event.Payload, error) {
	if err := s.mustExist(); err != nil {
		return nil, err
	}
	e, err := c.event(s)
	if err != nil {
		return nil, err
	}
	if _, taken := s.keyNamed(e.Name); taken {
		return nil, fault.New(fault.Conflict, "an API key named %q exists in scope %q", e.Name, s.Name)
	}
	if _, taken := s.Keys[c.KeyID]; taken {
		return nil, fault.New(fault.Conflict, "an API key with the id %s exists", c.KeyID)
	}
	limit := c.Limit
	if limit <= 0 {
		limit = DefaultKeyLimit
	}
	if len(s.Keys) >= limit {
		return nil, fault.New(fault.LimitReached, "scope %q has its %d API keys; revoke one first", s.Name, limit)
	}
	return []event.Payload{e}, nil
}

func (c CreateKey) event(s ScopeState) (KeyCreated, error) {
	var f fault.Fields
	CheckPrefixedID(&f, "key_id", c.KeyID, KeyIDPrefix)
	if c.Hash == "" {
		f.Add("hash", "is required")
	}
	e := KeyCreated{TenantID: s.TenantID, ProjectID: s.ProjectID, ScopeID: s.ID, ScopeName: s.Name,
		KeyID: c.KeyID, Name: CheckName(&f, "api_key_name", c.Name), Kind: c.Kind, Hash: c.Hash,
		DisplayPrefix: c.DisplayPrefix, CreatedAt: c.At.UTC()}
	switch e.Kind {
	case PublicKey:
		e.AllowedOrigins = checkOrigins(&f, c.AllowedOrigins)
	case SecretKey, "":
		e.Kind = SecretKey
		if len(c.AllowedOrigins) > 0 {
			f.Add("allowedOrigins", "is for public keys only")
		}
	default:
		f.Add("kind", "must be %s or %s", SecretKey, PublicKey)
	}
	return e, f.Err()
}

// checkOrigins gives the origins as a browser's Origin header has them, sorted.
func checkOrigins(f *fault.Fields, given []string) []string {
	if len(given) == 0 || len(given) > MaxOrigins {
		f.Add("allowedOrigins", "must be 1 to %d origins for a public key", MaxOrigins)
		return nil
	}
	var out []string
	for i, raw := range given {
		origin, ok := NormalOrigin(raw)
		if !ok {
			f.Add(fmt.Sprintf("allowedOrigins[%d]", i), "must be an origin as browsers send it, such as https://shop.example, "+
				"http://localhost:3000 or https://xn--bcher-kva.example")
		}
		out = append(out, origin)
	}
	slices.Sort(out)
	return slices.Compact(out)
}

// NormalOrigin writes an origin as a browser sends it: scheme://host[:port], lower
// case, no default port. Anything that is more or less than an origin is refused, and so
// is what no browser sends, by which no page would ever be let in: a host with letters
// beyond ASCII, which browsers write as xn--..., and a port that is none.
func NormalOrigin(raw string) (string, bool) {
	u, err := url.Parse(strings.ToLower(strings.TrimSpace(raw)))
	if err != nil || u.Hostname() == "" || u.User != nil || strings.Contains(u.Host, "*") {
		return "", false
	}
	if u.Path != "" && u.Path != "/" || strings.ContainsAny(raw, "?#") {
		return "", false
	}
	host, port := u.Hostname(), u.Port()
	if strings.ContainsFunc(host, func(r rune) bool { return r > unicode.MaxASCII }) {
		return "", false
	}
	if ip, err := netip.ParseAddr(host); err == nil && ip.Is6() {
		host = "[" + ip.String() + "]"
	}
	if n, err := strconv.ParseUint(port, 10, 16); port != "" && (err != nil || strconv.FormatUint(n, 10) != port) {
		return "", false
	}
	switch u.Scheme + port {
	case "https", "http", "https443", "http80":
		return u.Scheme + "://" + host, true
	}
	if u.Scheme != "https" && u.Scheme != "http" {
		return "", false
	}
	return u.Scheme + "://" + host + ":" + port, true
}

// Apply folds the event.
func (e KeyCreated) Apply(s *ScopeState) {
	if s.Keys == nil {
		s.Keys = map[string]Key{}
	}
	s.Keys[e.KeyID] = Key{ID: e.KeyID, Name: e.Name, Kind: e.Kind, Hash: e.Hash, Origins: slices.Clone(e.AllowedOrigins)}
}
