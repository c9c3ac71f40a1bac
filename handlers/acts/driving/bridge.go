package driving

import (
	"time"

	"github.com/parley-platform/parley/domain/access"
)

// Bridge is what lets the code of a tool to its memory: the call that it is run for, and the stores
// that the agent's source declares for it as the call begins.
type Bridge struct {
	Tenant, Project, Session, Call string
	Trial                          bool // of a call that nobody made: somebody tries the memory by hand
	Stores                         map[string]access.Store
}

// bridge is that of a call; nil: its tool sees no store.
func (of Asking) bridge() *Bridge {
	if len(of.Sees) == 0 {
		return nil
	}
	b := &Bridge{Tenant: of.Tenant, Project: of.Project, Session: of.Session, Call: of.CallID, Stores: map[string]access.Store{}}
	for _, s := range of.Sees {
		b.Stores[s.Name] = access.Store{Scope: string(s.Scope), Read: s.Read, Write: s.Write, TTL: int64(s.TTL / time.Second)}
	}
	return b
}
