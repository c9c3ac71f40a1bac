package driving

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/parley-platform/parley/domain/access"
	"github.com/parley-platform/parley/domain/dsl"
	"github.com/parley-platform/parley/domain/sessions"
	"github.com/parley-platform/parley/domain/turns"
)

// Given code that sees stores, then its bridge opens these, as they are declared; other tools have
// none.
func TestABridgeOpensWhatCodeSees(t *testing.T) {
	of := Asking{Tenant: "acme", Project: "shop", Session: "s-1", Wanted: turns.Wanted{CallOpened: sessions.CallOpened{CallID: "c-1"},
		Sees: []*dsl.Store{{Name: "notes", Scope: dsl.ScopeContact, TTL: time.Hour, Read: true}}}}
	require.Equal(t, &Bridge{Tenant: "acme", Project: "shop", Session: "s-1", Call: "c-1",
		Stores: map[string]access.Store{"notes": {Scope: "contact", Read: true, TTL: 3600}}}, of.bridge())
	of.Sees = nil
	require.Nil(t, of.bridge())
}
