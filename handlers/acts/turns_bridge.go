package acts

import (
	"time"

	"github.com/parley-platform/parley/domain/access"
)

// Bridge is what a token says by which the code of a tool comes back for its memory.
type Bridge struct {
	Tenant, Project, Session, Call string
	Stores                         map[string]access.Store
	For                            time.Duration
}

// bridgeLinger is how much longer than its tool a token is good: what the code asked for last is
// answered.
const bridgeLinger = 5 * time.Second

// bridge is the token for a call of a tool that sees stores; empty: it sees none, or nothing is let
// in with tokens. What the token opens is what the agent's source declares as the call begins.
func (t *Turns) bridge(of Asking) (string, error) {
	if len(of.Sees) == 0 || t.SignBridge == nil {
		return "", nil
	}
	b := Bridge{Tenant: of.Tenant, Project: of.Project, Session: of.Session, Call: of.CallID, For: of.Tool.Timeout + bridgeLinger,
		Stores: make(map[string]access.Store, len(of.Sees))}
	for _, s := range of.Sees {
		b.Stores[s.Name] = access.Store{Scope: string(s.Scope), Read: s.Read, Write: s.Write, TTL: int64(s.TTL / time.Second)}
	}
	return t.SignBridge(b)
}
