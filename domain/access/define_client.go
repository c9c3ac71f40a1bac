package access

import (
	"fmt"
	"maps"
	"net/url"
	"slices"
	"strings"

	"github.com/parley-platform/parley/domain/event"
	"github.com/parley-platform/parley/domain/fault"
)

// Origin is where a client was made (docs/api-rules.md "JWT"); roles need admin.
type Origin string

// The origins of clients.
const (
	OriginApp   Origin = "app"   // App Builder
	OriginAdmin Origin = "admin" // Admin Console
)

// HS256 is the one algorithm whose clients share a secret with us; all others
// publish their keys as a JWKS.
const HS256 = "HS256"

// MaxAudience is the longest audience of a client's tokens, in characters.
const MaxAudience = 256

// Algorithms lists the JWT algorithms a client can be pinned to.
func Algorithms() []string {
	return append([]string{HS256}, slices.Sorted(maps.Keys(keyTypes))...)
}

// IsAlgorithm reports whether it is one of them.
func IsAlgorithm(alg string) bool { return alg == HS256 || keyTypes[alg] != nil }

// Client is an issuer of JWTs: its id is their `iss`.
type Client struct {
	ID                string
	Name              string
	Origin            Origin
	Alg               string // the only algorithm its tokens may name
	Secret            string // sealed; HS256 only
	SecretFingerprint string // keyed fingerprint of Secret's plain text
	JWKS              string // the key set as JSON; or
	JWKSURL           string // where it is published
	Audience          string // what its tokens must name as aud; empty: that is not looked at
	Scopes            []string
	Permissions       []string
}

// DefineClient makes or changes a client (manifest kind Client).
type DefineClient struct {
	ID          string   // metadata.id
	Name        string   // metadata.name
	Origin      string   // spec.origin; empty: app
	Alg         string   // spec.alg
	JWKS        string   // spec.jwks, as JSON
	JWKSURL     string   // spec.jwksUrl
	Audience    string   // spec.audience
	Scopes      []string // spec.scopes: names of API scopes, see ClientScope
	Permissions []string // spec.permissions: see Permission, resource:* included

	// The sealed secret and its keyed fingerprint, HS256 only. When the manifest
	// names none, both may be empty (an existing secret stays), or a fresh one is
	// offered with SecretGenerated, used only where there is none yet.
	Secret            string
	SecretFingerprint string
	SecretGenerated   bool
}

// ClientDefined says what the client now is.
type ClientDefined struct {
	TenantID          string   `json:"tenantId"`
	ClientID          string   `json:"clientId"`
	Name              string   `json:"name"`
	Origin            Origin   `json:"origin"`
	Alg               string   `json:"alg"`
	Secret            string   `json:"secret,omitempty"` // sealed
	SecretFingerprint string   `json:"secretFingerprint,omitempty"`
	JWKS              string   `json:"jwks,omitempty"`
	JWKSURL           string   `json:"jwksUrl,omitempty"`
	Audience          string   `json:"audience,omitempty"`
	Scopes            []string `json:"scopes,omitempty"`
	Permissions       []string `json:"permissions,omitempty"`
}

var _ = event.Register[ClientDefined](Tenants, "client-defined", 1)

// Decide checks the definition; the algorithm says which key material it takes.
func (c DefineClient) Decide(s TenantState) ([]event.Payload, error) {
	if err := s.mustExist(); err != nil {
		return nil, err
	}
	old, exists := s.Clients[c.ID]
	e, err := c.event(s.ID, old)
	if err != nil {
		return nil, err
	}
	if exists && e.same(old) {
		return nil, nil
	}
	return []event.Payload{e}, nil
}

func (c DefineClient) event(tenantID string, old Client) (ClientDefined, error) {
	var f fault.Fields
	CheckID(&f, "metadata.id", c.ID)
	e := ClientDefined{TenantID: tenantID, ClientID: c.ID, Name: CheckName(&f, "metadata.name", c.Name),
		Origin: Origin(c.Origin), Alg: c.Alg,
		Scopes:      checkNames(&f, "spec.scopes", c.Scopes, ValidClientScope),
		Permissions: checkNames(&f, "spec.permissions", c.Permissions, ValidPermission)}
	e.Audience = checkAudience(&f, c.Audience)
	switch e.Origin {
	case "":
		e.Origin = OriginApp
	case OriginApp, OriginAdmin:
	default:
		f.Add("spec.origin", "must be %s or %s", OriginApp, OriginAdmin)
	}
	switch {
	case c.Alg == HS256:
		c.sharedSecret(&f, &e, old)
	case keyTypes[c.Alg] != nil:
		c.publishedKeys(&f, &e)
	default:
		f.Add("spec.alg", "must be one of %s", strings.Join(Algorithms(), ", "))
	}
	return e, f.Err()
}

// checkAudience takes an audience as it is, or not at all: aud is compared byte by byte
// (RFC 7519 section 2), so one that was tidied up would fit no token.
func checkAudience(f *fault.Fields, audience string) string {
	if audience == "" {
		return ""
	}
	clean, problem := CleanText(audience, MaxAudience)
	if problem == "" && clean != audience {
		problem = "must be in the form NFC and have no white space around it: tokens have to name it just so"
	}
	if problem != "" {
		f.Add("spec.audience", "%s", problem)
	}
	return audience
}

// sharedSecret wants a secret and no keys.
func (c DefineClient) sharedSecret(f *fault.Fields, e *ClientDefined, old Client) {
	if c.JWKS != "" {
		f.Add("spec.jwks", "does not go with spec.alg %s", c.Alg)
	}
	if c.JWKSURL != "" {
		f.Add("spec.jwksUrl", "does not go with spec.alg %s", c.Alg)
	}
	e.Secret, e.SecretFingerprint = old.Secret, old.SecretFingerprint
	if c.Secret == "" || (c.SecretGenerated && old.Secret != "") {
		if old.Secret == "" {
			f.Add("spec.secret", "is required with spec.alg %s", c.Alg)
		}
		return
	}
	if c.SecretFingerprint == "" {
		f.Add("spec.secret", "has no fingerprint")
	}
	if c.SecretFingerprint != old.SecretFingerprint {
		e.Secret, e.SecretFingerprint = c.Secret, c.SecretFingerprint
	}
}

// publishedKeys wants a JWKS document or its address, and no secret that the
// manifest itself names.
func (c DefineClient) publishedKeys(f *fault.Fields, e *ClientDefined) {
	if c.Secret != "" && !c.SecretGenerated {
		f.Add("spec.secret", "does not go with spec.alg %s", c.Alg)
	}
	switch {
	case c.JWKS == "" && c.JWKSURL == "":
		f.Add("spec.jwks", "or spec.jwksUrl is required with spec.alg %s", c.Alg)
	case c.JWKS != "" && c.JWKSURL != "":
		f.Add("spec.jwksUrl", "does not go with spec.jwks: give one of them")
	case c.JWKS != "":
		document, problem := checkJWKS(c.JWKS, c.Alg)
		if problem != "" {
			f.Add("spec.jwks", "%s", problem)
		}
		e.JWKS = document
	case !ValidKeyAddress(c.JWKSURL):
		f.Add("spec.jwksUrl", "must be an https address without user or fragment (http on this host only)")
	default:
		e.JWKSURL = c.JWKSURL
	}
}

// ValidKeyAddress reports whether keys may be published there. It allows http to the same machine only: keys fetched in clear over
// a network could be anyone's.
func ValidKeyAddress(raw string) bool {
	u, err := url.Parse(raw)
	if err != nil || u.Hostname() == "" || u.User != nil || u.Fragment != "" {
		return false
	}
	return u.Scheme == "https" || u.Scheme == "http" && loopbackNames[u.Hostname()]
}

var loopbackNames = map[string]bool{"localhost": true, "127.0.0.1": true, "::1": true}

// checkNames gives the names sorted and once each; an unknown one is named by index.
func checkNames(f *fault.Fields, field string, names []string, valid func(string) bool) []string {
	for i, name := range names {
		if !valid(name) {
			f.Add(fmt.Sprintf("%s[%d]", field, i), "is unknown: %q", name)
		}
	}
	out := slices.Clone(names)
	slices.Sort(out)
	return slices.Compact(out)
}

func (e ClientDefined) same(c Client) bool {
	return e.Name == c.Name && e.Origin == c.Origin && e.Alg == c.Alg && e.SecretFingerprint == c.SecretFingerprint &&
		e.JWKS == c.JWKS && e.JWKSURL == c.JWKSURL && e.Audience == c.Audience &&
		slices.Equal(e.Scopes, c.Scopes) && slices.Equal(e.Permissions, c.Permissions)
}

// Apply folds the event.
func (e ClientDefined) Apply(s *TenantState) {
	if s.Clients == nil {
		s.Clients = map[string]Client{}
	}
	s.Clients[e.ClientID] = Client{ID: e.ClientID, Name: e.Name, Origin: e.Origin, Alg: e.Alg,
		Secret: e.Secret, SecretFingerprint: e.SecretFingerprint, JWKS: e.JWKS, JWKSURL: e.JWKSURL, Audience: e.Audience,
		Scopes: slices.Clone(e.Scopes), Permissions: slices.Clone(e.Permissions)}
}
