package resttest

import (
	"crypto/sha256"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/parley-platform/parley/domain/access"
	"github.com/parley-platform/parley/domain/event"
	"github.com/parley-platform/parley/eventstore"
	"github.com/parley-platform/parley/eventstore/memory"
	"github.com/parley-platform/parley/handlers/acts"
	"github.com/parley-platform/parley/handlers/rest"
	"github.com/parley-platform/parley/handlers/rest/tokens"
)

// Stored is a world whose operations write to a log in memory. The tests of a group
// declare its operations on it, with fakes of the read models that they ask.
type Stored struct {
	*World
	*testing.T
	Events   *memory.Log
	Commands rest.Commands
	Token    string // of client crm of acme, with all that NewStored was asked for
	seen     int    // records that a call of Since has given
}

// NewStored is a world whose token of acme has these scopes, and these permissions.
func NewStored(t *testing.T, scopes []access.ClientScope, permissions ...access.Permission) *Stored {
	t.Helper()
	w, log := NewWorld(t), memory.New()
	s := &Stored{World: w, T: t, Events: log}
	s.Commands = rest.Commands{Log: acts.Log{Store: log.Open(eventstore.Config{Node: "n-1"}), MAC: mac,
		Now: func() time.Time { return w.Now }}}
	t.Cleanup(s.Commands.Store.Close)
	s.Token = s.Grant("acme", scopes, permissions...)
	return s
}

// mac is a keyed hash whose key is known.
func mac(purpose string, parts ...string) []byte {
	sum := sha256.Sum256([]byte(purpose + "\x00" + strings.Join(parts, "\x00")))
	return sum[:]
}

// Grant lets client crm of a tenant have these scopes and permissions, and gives a token
// of ada with all of them.
func (s *Stored) Grant(tenant string, scopes []access.ClientScope, permissions ...access.Permission) string {
	s.Clients[tenant+"/crm"] = tokens.ClientRecord{ID: "crm", TenantID: tenant, Origin: access.OriginApp, Alg: access.HS256, Secret: Secret,
		Scopes: slices.Clone(scopes), Permissions: slices.Clone(permissions)}
	return s.World.Token(func(g *tokens.Grant) { g.TenantID, g.Scopes, g.Permissions = tenant, scopes, permissions })
}

// Ask calls an operation with the token; headers alternate names and values.
func (s *Stored) Ask(method, target, body string, headers ...string) *Reply {
	return s.Call(method, target, body, append([]string{"auth", s.Token}, headers...)...)
}

// Given appends events of acme to a stream, whatever its state is.
func Given[S any](s *Stored, agg *event.Aggregate[S], stream string, past ...event.Payload) {
	s.Helper()
	require.NoError(s, memory.Put(s.Context(), s.Commands.Store, agg, "acme", stream, past...))
	s.seen = len(s.Events.Accepted())
}

// Since are the events that came to count since it was called last, or since Given, and
// the records in which they stand.
func (s *Stored) Since() (out []*eventstore.Record) {
	all := s.Events.Accepted()
	out, s.seen = all[s.seen:], len(all)
	return out
}

// Only is the one event of its category that came to count since Since was called last.
func Only[E event.Payload](s *Stored, category *event.Category) E {
	s.Helper()
	since := s.Since()
	require.Len(s, since, 1)
	e, ok := memory.Payload(category, since[0]).(E)
	require.True(s, ok, "the event is a %s", since[0].Type)
	return e
}

// Refused expects a refusal that names these fields, and that nothing was written.
func (s *Stored) Refused(got *Reply, status int, fields ...string) {
	s.Helper()
	require.Equal(s, status, got.Status, got.Text)
	require.Equal(s, fields, got.Fields(), got.Text)
	require.Empty(s, s.Since(), "a refusal changes nothing")
}
