package access

import (
	"slices"

	"github.com/parley-platform/parley/domain/fault"
)

// Credential is the kind of proof that a request came with.
type Credential string

// The kinds that Parley knows.
const (
	TokenCredential     Credential = "token"      // a JWT of one of the tenant's clients
	KeyCredential       Credential = "key"        // a secret API key, sk_
	PublicKeyCredential Credential = "public key" // a public API key, pk_, as widgets carry it
	SandboxCredential   Credential = "sandbox"    // a JWT that the runtime gives to an agent's code, for one call of a tool
	SDKCredential       Credential = "sdk"        // a JWT that the runtime gives to a widget or an app, for one session
	EmbedCredential     Credential = "sdk share"  // a JWT that begins sessions of an SDK channel, in place of its public key
	NoCredential        Credential = ""           // nobody: only public operations take it
)

// Principal is who sends a request and what they were granted, as verified by the
// API. It is made anew for every request and never kept.
type Principal struct {
	TenantID string
	Kind     Credential
	Subject  string // the user of a token; the key id of a key

	// Of an agent's code, whose subject is the call of its tool, or of a widget or an app. Its
	// project is ProjectID.
	SessionID string
	Stores    map[string]Store // stores of memory by name
	ChannelID string           // of a widget's or an app's token: the SDK channel
	Page      string           // of those, and of a public key: the Origin of the request; empty: it named none
	Chats     bool             // of a widget's or an app's token: its channel has chat
	Speaks    bool             // and voice
	Trial     bool             // the call was made by nobody: somebody tries the memory by hand

	// Of a token.
	ClientID    string
	Operator    bool // of the built-in issuer: beside its permissions it opens nothing
	Origin      Origin
	Scopes      []ClientScope // the client's, cut by the token's
	Permissions []Permission  // the client's, cut by the token's; may hold resource:*

	// Of a key; of a widget's or an app's token those of the channel's public key, but for permissions.
	KeyID          string
	ScopeID        string
	ProjectID      string // the app that the key, or the session, belongs to
	KeyPermissions []KeyPermission
}

// Store is what an agent's source lets its code do with a store of memory.
type Store struct {
	Scope string `json:"scope"` // of package memories
	Read  bool   `json:"read,omitempty"`
	Write bool   `json:"write,omitempty"`
	TTL   int64  `json:"ttl,omitempty"` // for how many seconds what is written is kept; 0: for ever
}

// Actor names the principal in events and logs, without saying anything secret:
// user:<sub>@<client>, key:<key id>, or tool:<call>@<session>. It is empty for nobody.
func (p Principal) Actor() string {
	switch p.Kind {
	case TokenCredential:
		return "user:" + p.Subject + "@" + p.ClientID
	case KeyCredential, PublicKeyCredential, SDKCredential, EmbedCredential:
		return "key:" + p.KeyID
	case SandboxCredential:
		return "tool:" + p.Subject + "@" + p.SessionID
	default:
		return ""
	}
}

// Administers reports whether it is the token of an operator, of a client of the Admin
// Console, or of one that may apply manifests.
func (p Principal) Administers() bool {
	return p.Kind == TokenCredential && (p.Operator || p.Origin == OriginAdmin || p.HasPermission(PermAdminApply))
}

// HasScope reports whether one of the scopes was granted.
func (p Principal) HasScope(anyOf ...ClientScope) bool {
	return slices.ContainsFunc(anyOf, func(s ClientScope) bool { return slices.Contains(p.Scopes, s) })
}

// HasPermission reports whether one of the permissions was granted, by its name or
// by all of its resource.
func (p Principal) HasPermission(anyOf ...Permission) bool {
	return slices.ContainsFunc(anyOf, func(want Permission) bool {
		return slices.ContainsFunc(p.Permissions, func(has Permission) bool { return has.Covers(want) })
	})
}

// CutScopes is what remains of a client's scopes when its token names some of
// them, in the client's order. A token that names none is granted none.
func CutScopes(client, token []ClientScope) []ClientScope {
	var granted []ClientScope
	for _, s := range client {
		if slices.Contains(token, s) && !slices.Contains(granted, s) {
			granted = append(granted, s)
		}
	}
	return granted
}

// CutPermissions is what both the client and the token have, where either may
// name a whole resource: channel:* cut by channel:read is channel:read.
func CutPermissions(client, token []Permission) []Permission {
	granted := covered(token, client)
	for _, p := range covered(client, token) {
		if !slices.Contains(granted, p) {
			granted = append(granted, p)
		}
	}
	return granted
}

func covered(some, by []Permission) []Permission {
	var out []Permission
	for _, p := range some {
		if slices.ContainsFunc(by, func(b Permission) bool { return b.Covers(p) }) && !slices.Contains(out, p) {
			out = append(out, p)
		}
	}
	return out
}

// MayChat refuses a widget or an app whose channel has no chat.
func (p Principal) MayChat() error { return p.offered(p.Chats, "chat") }

// MaySpeak refuses a widget or an app whose channel has no voice.
func (p Principal) MaySpeak() error { return p.offered(p.Speaks, "voice") }

func (p Principal) offered(is bool, what string) error {
	if p.Kind == SDKCredential && !is {
		return fault.New(fault.Forbidden, "the SDK channel has no %s: its config says so (%sEnabled)", what, what)
	}
	return nil
}
