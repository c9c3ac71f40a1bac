// Package access owns who may do what: tenants with their projects and clients,
// the scopes of API keys, and the form of the secrets and names involved.
//
// Two aggregates hold it. A tenant's stream (Tenants) owns everything that has to
// be unique in the whole tenant: project ids and their aliases, slugs, clients,
// and the registry of scope names. A scope's stream (Scopes) owns what has to be
// unique in the scope: its keys.
//
// The names of scopes are unique per app, which no scope's own stream can see,
// so they are registered in the tenant's stream first (RegisterScope), and only
// then is the scope defined in its own (DefineScope). A second scope id with the
// same name in the same project is refused by the registry, whichever node it
// comes from. Registering is idempotent by (project, scope, name), so a crash
// between the two steps is healed by repeating both and needs no expiry: nobody
// but the owner of that scope id could want to take the registration over.
// Removal runs the other way: RemoveScope, then UnregisterScope; a project with
// registered scopes is not removed. This also answers "which scope is called X in
// this app" from one stream.
//
// Definitions come from manifests that are applied again and again. A command
// that repeats the last definition does nothing, even when the thing was changed
// by other means since; what differs from the last definition is what changes.
// Sealed secrets look different on every sealing, so they are compared by keyed
// fingerprints that come with the command.
//
// The package never sees a secret in clear except to give it its form (NewSecret),
// never hashes, seals or verifies anything, and never reads a clock.
package access

import (
	"strings"

	"github.com/parley-platform/parley/domain/fault"
)

// MaxIDLength is the longest identifier, in characters.
const MaxIDLength = 128

// ValidID reports whether the text can be an identifier: 1 to 128 letters, digits, '_'
// or '-' (docs/api-rules.md "Ids").
func ValidID(id string) bool {
	if id == "" || len(id) > MaxIDLength {
		return false
	}
	for _, c := range []byte(id) {
		letter := c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z'
		if !letter && (c < '0' || c > '9') && c != '_' && c != '-' {
			return false
		}
	}
	return true
}

// Prefixes of the ids of keys and scopes.
const (
	KeyIDPrefix   = "ak-"
	ScopeIDPrefix = "as-"
)

// ValidKeyID reports whether the text can be the id of an API key: ak- and more.
func ValidKeyID(id string) bool { return PrefixedID(id, KeyIDPrefix) }

// ValidScopeID reports whether the text can be the id of a scope: as- and more.
func ValidScopeID(id string) bool { return PrefixedID(id, ScopeIDPrefix) }

// PrefixedID reports whether the text can be an id of a kind that is told by its prefix:
// the prefix and more.
func PrefixedID(id, prefix string) bool {
	return ValidID(id) && strings.HasPrefix(id, prefix) && len(id) > len(prefix)
}

// ScopeStream names the stream of a scope. The separator is a character that no id
// can hold: with a '-' the scope as-b-as-c of tenant a and the scope as-c of
// tenant a-as-b would share one stream.
func ScopeStream(tenantID, scopeID string) string {
	return Scopes.Stream(tenantID + "." + scopeID)
}

// TenantStream names the stream of a tenant by its account id.
func TenantStream(tenantID string) string { return Tenants.Stream(tenantID) }

// CheckID notes a field that is not a ValidID.
func CheckID(f *fault.Fields, field, id string) {
	if !ValidID(id) {
		f.Add(field, "must be 1 to %d letters, digits, _ or -", MaxIDLength)
	}
}

// CheckPrefixedID notes a field that is not a PrefixedID.
func CheckPrefixedID(f *fault.Fields, field, id, prefix string) {
	if !PrefixedID(id, prefix) {
		f.Add(field, "must be %s and up to %d letters, digits, _ or - in all", prefix, MaxIDLength)
	}
}
