package acts

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/parley-platform/parley/domain/access"
	"github.com/parley-platform/parley/domain/dsl"
	"github.com/parley-platform/parley/domain/sessions"
	"github.com/parley-platform/parley/domain/turns"
)

// Given code that sees stores, then its token opens these, as they are declared, for the time of
// the tool and five seconds; other tools get none.
func TestATokenOpensWhatCodeSees(t *testing.T) {
	var signed Bridge
	runs := &Turns{SignBridge: func(b Bridge) (string, error) { signed = b; return "t", nil }}
	of := Asking{Tenant: "acme", Project: "shop", Session: "s-1", Wanted: turns.Wanted{CallOpened: sessions.CallOpened{CallID: "c-1"},
		Tool: &dsl.Tool{Timeout: 3 * time.Second}, Sees: []*dsl.Store{{Name: "notes", Scope: dsl.ScopeContact, TTL: time.Hour, Read: true}}}}
	token, err := runs.bridge(of)
	require.NoError(t, err)
	require.Equal(t, "t", token)
	require.Equal(t, Bridge{Tenant: "acme", Project: "shop", Session: "s-1", Call: "c-1", For: 8 * time.Second,
		Stores: map[string]access.Store{"notes": {Scope: "contact", Read: true, TTL: 3600}}}, signed)
	of.Sees = nil
	token, err = runs.bridge(of)
	require.NoError(t, err)
	require.Empty(t, token)
	of.Sees = []*dsl.Store{{Name: "notes"}}
	token, err = (&Turns{}).bridge(of)
	require.NoError(t, err)
	require.Empty(t, token, "code is not let in")
}
