package access

import (
	"time"

	"github.com/parley-platform/parley/domain/event"
	"github.com/parley-platform/parley/domain/fault"
)

// Scopes holds one stream per scope of API keys (see ScopeStream). Its rules:
//
//   - a scope stays in its tenant and project
//   - its permission map always has every name of KeyPermissions, YES or NO
//   - key names are unique among its existing keys; a revoked key is gone and its
//     name is free again
//   - it has at most so many existing keys as the command allows
var Scopes = event.NewAggregate[ScopeState]("scopes", "scope", event.Quiet)

// DefaultKeyLimit is how many keys a scope can have unless configured otherwise
// (docs/api-rules.md "Keys").
const DefaultKeyLimit = 50

// ScopeState is the state of one scope's stream; an empty ID means that the scope
// is not defined.
type ScopeState struct {
	ID          string // as-...
	TenantID    string
	ProjectID   string // the app it belongs to
	Name        string
	Description string
	CreatedAt   time.Time
	Permissions map[KeyPermission]string // every name, YES or NO
	Declared    ScopeDeclaration         // the last definition, whatever happened since
	Keys        map[string]Key           // existing keys by id
}

// ScopeDeclaration is what a scope's manifest last said.
type ScopeDeclaration struct {
	Name        string
	Description string
	Permissions map[KeyPermission]string // every name, YES or NO
}

// Key is one existing API key of a scope.
type Key struct {
	ID      string // ak-...
	Name    string
	Kind    KeyKind
	Hash    string   // keyed, of its secret
	Origins []string // of a public one: pages that may use it
}

func (s ScopeState) mustExist() error {
	if s.ID == "" {
		return fault.New(fault.NotFound, "scope not found")
	}
	return nil
}

// keyNamed finds the existing key with a name.
func (s ScopeState) keyNamed(name string) (Key, bool) {
	for _, k := range s.Keys {
		if SameName(k.Name, name) {
			return k, true
		}
	}
	return Key{}, false
}
