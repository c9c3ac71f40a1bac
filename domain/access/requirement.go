package access

import (
	"fmt"
	"slices"
	"strings"

	"github.com/parley-platform/parley/domain/fault"
)

// Ability is what an API key can be used for: a permission by its own name, or one of
// the groups of operations below, for which a token needs nothing but to be valid.
type Ability string

// The groups of operations that have no permission of their own.
const (
	CanManageKeys  Ability = "keys and scopes" // create-api-key, revoke-api-key, get-scope, update-scope
	CanChat        Ability = "chat"            // of agents, to come; so are the next two groups
	CanEndSessions Ability = "end and reset session"
	CanAttach      Ability = "attachments"
	CanListProject Ability = "lists" // what a project has, without its content
	CanDeployDocks Ability = "workflow and tool deploy"
)

// keyGrants is the one table from the permissions of an API key to what it can be used
// for (docs/api-rules.md "What a permission opens"). API_SCOPE_KEY_VIEW and
// API_SCOPE_KEY_EDIT are in it with nothing: they do not suffice for any operation.
// Whole resources are written resource:*.
var keyGrants = map[KeyPermission][]Ability{
	APIScopeKeyFull:    {CanManageKeys},
	APIScopeKeyEdit:    {},
	APIScopeKeyView:    {},
	RunAPI:             {CanChat},
	SessionCreation:    {Ability(PermSessionExecute)},
	SessionsList:       {Ability(PermSessionRead)},
	SessionTermination: {CanEndSessions},
	DocumentUpload:     {CanAttach},
	AgentsView:         {Ability(PermAgentRead)},
	AgentsEdit:         {Ability(PermAgentWrite)},
	AgentsFull:         {Ability(PermAgentRead), Ability(PermAgentWrite), Ability(PermContactWrite)},
	AppView:            {Ability(PermProjectExport), CanListProject},
	AppEdit:            {Ability(PermDeploymentCreate), "channel:*", CanDeployDocks},
	AppFull: {
		CanChat, CanEndSessions, CanAttach, Ability(PermContactWrite), CanListProject, CanDeployDocks,
		"session:*", "agent:*", "deployment:*", "channel:*", "project:*", "credential:*",
	},
}

// KeyPermissionsFor lists the key permissions that give an ability, in the order in
// which answers show them.
func KeyPermissionsFor(want Ability) []KeyPermission {
	var out []KeyPermission
	for _, p := range keyPermissions {
		if slices.ContainsFunc(keyGrants[p], func(a Ability) bool { return Permission(a).Covers(Permission(want)) }) {
			out = append(out, p)
		}
	}
	return out
}

// Requirement says who may call an operation. It is stated where the operation is
// declared; the zero value states nothing and is refused there.
type Requirement struct {
	stated      bool
	kinds       []Credential
	scopes      []ClientScope // of a token, any of
	permissions []Permission  // of a token, any of
	origin      Origin        // of a token's client, if it matters
	keys        []KeyPermission

	administrators bool // beside kinds: see OrAdministrator
}

// Public is an operation that anyone may call, without any credential.
var Public = Requirement{stated: true}

// KeyOnly takes an API key that has the ability, and nothing else (docs/api-rules.md
// "Credentials").
func KeyOnly(can Ability) Requirement {
	return Requirement{stated: true, kinds: []Credential{KeyCredential}, keys: KeyPermissionsFor(can)}
}

// TokenOnly takes a token with one of the scopes, and nothing else (administration,
// voice, reporting and the contact center). Without scopes any valid token will do.
func TokenOnly(anyOf ...ClientScope) Requirement {
	return Requirement{stated: true, kinds: []Credential{TokenCredential}, scopes: anyOf}
}

// Needs takes a token or an API key with one of the permissions.
func Needs(anyOf ...Permission) Requirement {
	r := Requirement{stated: true, kinds: []Credential{TokenCredential, KeyCredential}, permissions: anyOf}
	for _, p := range anyOf {
		r.keys = append(r.keys, KeyPermissionsFor(Ability(p))...)
	}
	return r
}

// May reports whether a token or an API key was granted one of the permissions: what Needs asks of a whole operation, for a
// part of one.
func (p Principal) May(anyOf ...Permission) bool { return Needs(anyOf...).Check(p) == nil }

// SignedIn takes any valid token, or an API key that has one of the abilities (operations
// that ask for no permission).
func SignedIn(can ...Ability) Requirement {
	r := Requirement{stated: true, kinds: []Credential{TokenCredential, KeyCredential}}
	for _, a := range can {
		for _, p := range KeyPermissionsFor(a) {
			if !slices.Contains(r.keys, p) {
				r.keys = append(r.keys, p)
			}
		}
	}
	return r
}

// SandboxOnly takes the token that the runtime gives to an agent's code, and nothing else.
// What it opens is in it.
func SandboxOnly() Requirement {
	return Requirement{stated: true, kinds: []Credential{SandboxCredential}}
}

// PublicKeyOnly takes a public key, and nothing else. What it opens is the project's own
// choice: the pages that the key is for.
func PublicKeyOnly() Requirement {
	return Requirement{stated: true, kinds: []Credential{PublicKeyCredential}}
}

// OrShared takes the token of an SDK channel as well, in place of its public key.
func (r Requirement) OrShared() Requirement {
	r.kinds = append(slices.Clone(r.kinds), EmbedCredential)
	return r
}

// SDKOnly takes the token of a widget's or an app's session, and nothing else. It opens that session
// alone.
func SDKOnly() Requirement {
	return Requirement{stated: true, kinds: []Credential{SDKCredential}}
}

// OrSDK takes the token of a widget's or an app's session as well. It opens that session alone.
func (r Requirement) OrSDK() Requirement {
	r.kinds = append(slices.Clone(r.kinds), SDKCredential)
	return r
}

// From narrows a requirement to tokens of clients made at one place.
func (r Requirement) From(origin Origin) Requirement {
	r.origin = origin
	return r
}

// OrAdministrator takes beside what it took the token of whoever administers the
// tenant (Principal.Administers), where none of the other credentials is sent. All
// other tokens stay the wrong kind.
func (r Requirement) OrAdministrator() Requirement {
	r.administrators = true
	return r
}

// Stated is false for the zero value only.
func (r Requirement) Stated() bool { return r.stated }

// IsPublic reports whether no credential is needed.
func (r Requirement) IsPublic() bool { return r.stated && len(r.kinds) == 0 }

// Takes reports whether a credential of that kind can satisfy the requirement.
func (r Requirement) Takes(kind Credential) bool {
	return slices.Contains(r.kinds, kind) || r.Instead(kind)
}

// Instead reports whether a credential of that kind counts only if none of the kinds
// that the operation is meant for is sent.
func (r Requirement) Instead(kind Credential) bool {
	return r.administrators && kind == TokenCredential && !slices.Contains(r.kinds, kind)
}

// Check answers nil, Unauthorized for nobody and for the wrong kind of credential,
// or Forbidden for a principal who was not granted enough.
func (r Requirement) Check(p Principal) error {
	switch {
	case !r.stated:
		return fault.New(fault.Forbidden, "the operation states no requirement")
	case r.IsPublic():
		return nil
	case !r.Takes(p.Kind):
		return fault.New(fault.Unauthorized, "this operation takes %s", r.credentials())
	case r.Instead(p.Kind) && !p.Administers():
		return fault.New(fault.Unauthorized, "this operation takes %s", r.credentials())
	case r.Instead(p.Kind):
		return nil
	case slices.Contains([]Credential{SandboxCredential, PublicKeyCredential, SDKCredential, EmbedCredential}, p.Kind):
		return nil
	case p.Kind == TokenCredential:
		return r.checkToken(p)
	default:
		return r.checkKey(p)
	}
}

func (r Requirement) checkToken(p Principal) error {
	switch {
	case p.Operator && len(r.permissions) == 0:
		return fault.New(fault.Forbidden, "an operator's token cannot be used for this operation")
	case r.origin != "" && p.Origin != r.origin:
		return fault.New(fault.Forbidden, "the token must come from a client of origin %q", r.origin)
	case len(r.scopes) > 0 && !p.HasScope(r.scopes...):
		return fault.New(fault.Forbidden, "the token needs the scope %s", oneOf(r.scopes))
	case len(r.permissions) > 0 && !p.HasPermission(r.permissions...):
		return fault.New(fault.Forbidden, "the token needs the permission %s", oneOf(r.permissions))
	}
	return nil
}

func (r Requirement) checkKey(p Principal) error {
	if slices.ContainsFunc(r.keys, func(k KeyPermission) bool { return slices.Contains(p.KeyPermissions, k) }) {
		return nil
	}
	if len(r.keys) == 0 {
		return fault.New(fault.Forbidden, "an API key cannot be used for this operation")
	}
	return fault.New(fault.Forbidden, "the API key needs the permission %s", oneOf(r.keys))
}

// String tells the requirement in words, for the documentation of an operation.
func (r Requirement) String() string {
	if !r.stated {
		return "not stated"
	}
	var parts []string
	if slices.Contains(r.kinds, TokenCredential) {
		parts = append(parts, r.tokenWords())
	}
	if r.Takes(KeyCredential) && len(r.keys) > 0 {
		parts = append(parts, "an API key with "+oneOf(r.keys))
	}
	if r.Takes(SandboxCredential) {
		parts = append(parts, "a sandbox token")
	}
	if r.Takes(PublicKeyCredential) {
		parts = append(parts, "a public key")
	}
	if r.Takes(EmbedCredential) {
		parts = append(parts, "the token of an SDK channel")
	}
	if r.Takes(SDKCredential) {
		parts = append(parts, "the SDK token of the session")
	}
	if r.administrators {
		parts = append(parts, administratorWords)
	}
	if len(parts) == 0 {
		return "public"
	}
	return strings.Join(parts, ", or ")
}

const administratorWords = "a token of an operator or of a client that administers (origin \"admin\", or the permission \"admin:apply\")"

func (r Requirement) tokenWords() string {
	words := "a token"
	switch {
	case len(r.scopes) > 0:
		words += " with the scope " + oneOf(r.scopes)
	case len(r.permissions) > 0:
		words += " with the permission " + oneOf(r.permissions)
	}
	if r.origin != "" {
		words += fmt.Sprintf(" of a client of origin %q", r.origin)
	}
	return words
}

func (r Requirement) credentials() string {
	names := map[Credential]string{TokenCredential: "a token (JWT)", KeyCredential: "an API key", PublicKeyCredential: "a public key",
		EmbedCredential: "the token of an SDK channel (X-SDK-Token)", SDKCredential: "an SDK token (X-SDK-Token)",
		SandboxCredential: "a sandbox token, as the runtime gives it to the code of a tool (Authorization: Bearer)"}
	var out []string
	for _, k := range r.kinds {
		out = append(out, names[k])
	}
	if r.administrators {
		out = append(out, administratorWords)
	}
	return strings.Join(out, " or ")
}

func oneOf[T ~string](names []T) string {
	quoted := make([]string, len(names))
	for i, n := range names {
		quoted[i] = fmt.Sprintf("%q", string(n))
	}
	return strings.Join(quoted, " or ")
}
