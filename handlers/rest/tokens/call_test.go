package tokens_test

import (
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/parley-platform/parley/domain/fault"
	"github.com/parley-platform/parley/handlers/rest/tokens"
)

var (
	calling   = tokens.Call{Secret: []byte("a secret of thirty-two characters"), Now: func() time.Time { return issued }}
	callGrant = tokens.CallGrant{ID: "g-1", TenantID: "acme", ProjectID: "shop", SessionID: "s-1", AgentName: "desk", DeploymentID: "d-1",
		Issued: issued, Expires: issued.Add(tokens.CallToken)}
)

// Given a token of a call, then it says whose call it is and who takes it, until it expires, give or take
// what clocks differ by; and who hangs up is believed later, too.
func TestWhatATokenOfACallSays(t *testing.T) {
	token, err := calling.Issue(callGrant)
	require.NoError(t, err)
	got, err := calling.Verify(token, false)
	require.NoError(t, err)
	got.Issued, got.Expires = got.Issued.UTC(), got.Expires.UTC()
	require.Equal(t, callGrant, got)
	for after, good := range map[time.Duration]bool{-4 * time.Second: true, -7 * time.Second: false, tokens.CallToken + 4*time.Second: true,
		tokens.CallToken + 6*time.Second: false} {
		x := tokens.Call{Secret: calling.Secret, Now: func() time.Time { return issued.Add(after) }}
		_, err := x.Verify(token, false)
		require.Equal(t, !good, fault.Is(err, fault.Unauthorized), after)
		got, err = x.Verify(token, true)
		require.NoError(t, err)
		require.Equal(t, "g-1", got.ID)
	}
}

func TestTokensOfCallsThatAreNone(t *testing.T) {
	good, err := calling.Issue(callGrant)
	require.NoError(t, err)
	sdkToken, err := sandbox.Issue(grant)
	require.NoError(t, err)
	for what, token := range map[string]string{"nothing": "", "nonsense": "x.y.z", "a torn one": good[:len(good)-1],
		"a long one": strings.Repeat("x", 17<<10), "one for something else": sdkToken} {
		for _, ends := range []bool{true, false} {
			_, err := calling.Verify(token, ends)
			require.True(t, fault.Is(err, fault.Unauthorized), what)
			require.ErrorContains(t, err, "missing, wrong, or too old")
		}
	}
	_, err = tokens.Call{Secret: []byte("another")}.Verify(good, true)
	require.True(t, fault.Is(err, fault.Unauthorized))
	_, err = tokens.Call{}.Verify(good, true)
	require.True(t, fault.Is(err, fault.Unauthorized))
	for what, edit := range map[string]func(*tokens.CallGrant){
		"no id": func(g *tokens.CallGrant) { g.ID = "" }, "no account": func(g *tokens.CallGrant) { g.TenantID = "" },
		"no project": func(g *tokens.CallGrant) { g.ProjectID = "" }, "a bad session": func(g *tokens.CallGrant) { g.SessionID = "s 1" },
		"no time":       func(g *tokens.CallGrant) { g.Expires = issued },
		"too much time": func(g *tokens.CallGrant) { g.Expires = issued.Add(tokens.CallToken + time.Second) },
	} {
		g := callGrant
		edit(&g)
		_, err := calling.Issue(g)
		require.Error(t, err, what)
	}
	_, err = tokens.Call{}.Issue(callGrant)
	require.ErrorContains(t, err, "no key")
}
