package access

import (
	"slices"
	"strings"

	"github.com/parley-platform/parley/domain/event"
	"github.com/parley-platform/parley/domain/fault"
)

// Rights is what somebody holds and so can give to others or take from them. Nobody
// gives or takes what he does not hold himself
// (docs/decisions/2026-11-22-nobody-gives-more-than-he-has.md): OnScopes and OnTenant
// put that in front of a decision, where it is judged on the very state that the commit
// follows. The zero value holds nothing.
type Rights struct {
	everything  bool
	kind        Credential
	scopeID     string          // of a key: its own scope, whose state says what it holds
	keys        []KeyPermission // of a key
	scopes      []ClientScope   // of a token
	permissions []Permission    // of a token
}

// Everything is what an operator holds, and what the node itself acts with.
var Everything = Rights{everything: true}

// Rights is what the principal can give: an API key the permissions of its scope, a
// token what its client and it have in common, an operator everything.
func (p Principal) Rights() Rights {
	if p.Operator {
		return Everything
	}
	return Rights{kind: p.Kind, scopeID: p.ScopeID, keys: p.KeyPermissions, scopes: p.Scopes, permissions: p.Permissions}
}

// HoldsKey reports whether a permission of API keys is held: by a key by its very name,
// by a token if it may do all that the permission opens. What needs no permission, such
// as chat, every token may do.
func (r Rights) HoldsKey(name KeyPermission) bool {
	switch {
	case r.everything:
		return true
	case r.kind == KeyCredential:
		return slices.Contains(r.keys, name)
	case r.kind == TokenCredential:
		return !slices.ContainsFunc(keyGrants[name], func(a Ability) bool {
			return strings.Contains(string(a), ":") && !r.HoldsPermission(Permission(a))
		})
	}
	return false
}

// HoldsScope reports whether a scope of clients is held.
func (r Rights) HoldsScope(name ClientScope) bool {
	return r.everything || slices.Contains(r.scopes, name)
}

// HoldsPermission reports whether a permission is held, a whole resource if each
// permission of it is.
func (r Rights) HoldsPermission(want Permission) bool {
	held := func(p Permission) bool {
		return slices.ContainsFunc(r.permissions, func(has Permission) bool { return has.Covers(p) })
	}
	if r.everything || held(want) {
		return true
	}
	known := 0
	for _, p := range permissions {
		if want.Covers(p) {
			if !held(p) {
				return false
			}
			known++
		}
	}
	return known > 0
}

// HoldsScopeOfKeys reports whether all that a scope's permission map says YES to is held.
func (r Rights) HoldsScopeOfKeys(permissions map[KeyPermission]string) bool {
	for name, value := range permissions {
		if value == Yes && !r.HoldsKey(name) {
			return false
		}
	}
	return true
}

// OnScopes lets a decision on a scope pass only if all that the scope permits, before
// it and after it, is held. A decision that changes nothing gives nothing.
func (r Rights) OnScopes(decide func(ScopeState) ([]event.Payload, error)) func(ScopeState) ([]event.Payload, error) {
	return func(s ScopeState) ([]event.Payload, error) {
		events, err := decide(s)
		if fault.Is(err, fault.NotFound) || err == nil && len(events) == 0 {
			return nil, err
		}
		held := r.in(s)
		if r.kind == KeyCredential && !held.HoldsKey(APIScopeKeyFull) || !held.HoldsScopeOfKeys(s.Permissions) {
			return nil, NotHeld()
		}
		can := r.Within(s)
		for _, e := range events {
			if !can.HoldsScopeOfKeys(permissionsAfter(e)) {
				return nil, NotHeld()
			}
		}
		return events, err
	}
}

// in is what a key holds in its own scope: what the scope's state says, not what it
// said when the key was looked up.
func (r Rights) in(s ScopeState) Rights {
	if r.kind != KeyCredential || r.scopeID != s.ID {
		return r
	}
	r.keys = nil
	for name, value := range s.Permissions {
		if value == Yes {
			r.keys = append(r.keys, name)
		}
	}
	return r
}

// Within is what can be given to a scope: in a key's own one also what its definition
// says. Who made the scope gave that to its keys, so what one of them took away, one of
// them can give back.
func (r Rights) Within(s ScopeState) Rights {
	if r.kind != KeyCredential || r.scopeID != s.ID {
		return r
	}
	r = r.in(s)
	for name, value := range s.Declared.Permissions {
		if value == Yes {
			r.keys = append(r.keys, name)
		}
	}
	return r
}

func permissionsAfter(e event.Payload) map[KeyPermission]string {
	switch e := e.(type) {
	case ScopeDefined:
		return e.Permissions
	case PermissionsChanged:
		return e.Permissions
	}
	return nil
}

// NotHeld is the refusal of a change that gives or takes more than the caller has. It
// does not say what: a scope's permissions are its own keys' business.
func NotHeld() error {
	return fault.New(fault.Forbidden, "this would give or take permissions that the credential does not have itself")
}

// OnTenant does the same for clients: what one may do before a definition or removal
// and after it must be held.
func (r Rights) OnTenant(decide func(TenantState) ([]event.Payload, error)) func(TenantState) ([]event.Payload, error) {
	return func(s TenantState) ([]event.Payload, error) {
		events, err := decide(s)
		for _, e := range events {
			switch e := e.(type) {
			case ClientDefined:
				if !r.holdsClient(s.Clients[e.ClientID].Scopes, s.Clients[e.ClientID].Permissions) || !r.holdsClient(e.Scopes, e.Permissions) {
					return nil, NotHeld()
				}
			case ClientRemoved:
				if c := s.Clients[e.ClientID]; !r.holdsClient(c.Scopes, c.Permissions) {
					return nil, NotHeld()
				}
			}
		}
		return events, err
	}
}

func (r Rights) holdsClient(scopes, permissions []string) bool {
	return !slices.ContainsFunc(scopes, func(s string) bool { return !r.HoldsScope(ClientScope(s)) }) &&
		!slices.ContainsFunc(permissions, func(p string) bool { return !r.HoldsPermission(Permission(p)) })
}
