package tokens_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/parley-platform/parley/domain/access"
	"github.com/parley-platform/parley/domain/fault"
	"github.com/parley-platform/parley/handlers/rest/tokens"
)

var (
	issued  = time.Date(2026, 11, 24, 12, 0, 0, 0, time.UTC)
	sandbox = tokens.Sandbox{Secret: []byte("a secret of thirty-two characters"), Now: func() time.Time { return issued }}
	grant   = tokens.SandboxGrant{TenantID: "acme", ProjectID: "shop", SessionID: "s-1", ToolCallID: "tc-1", Issued: issued,
		Expires: issued.Add(tokens.SandboxLongest), Stores: map[string]access.Store{"notes": {Scope: "session", Read: true}}}
)

// Given a token of the runtime, then it names the call, the session and the stores, until it
// expires, give or take what clocks differ by.
func TestWhatASandboxTokenSays(t *testing.T) {
	token, err := sandbox.Issue(grant)
	require.NoError(t, err)
	p, err := sandbox.Verify(token)
	require.NoError(t, err)
	require.Equal(t, access.Principal{TenantID: "acme", Kind: access.SandboxCredential, Subject: "tc-1", ProjectID: "shop", SessionID: "s-1",
		Stores: grant.Stores}, p)
	for after, code := range map[time.Duration]fault.Code{
		-5 * time.Second: "", -7 * time.Second: fault.Unauthorized, tokens.SandboxLongest + 4*time.Second: "",
		tokens.SandboxLongest + 6*time.Second: fault.Unauthorized,
	} {
		_, err := tokens.Sandbox{Secret: sandbox.Secret, Now: func() time.Time { return issued.Add(after) }}.Verify(token)
		require.Equal(t, code != "", fault.Is(err, fault.Unauthorized), after)
	}
	_, err = tokens.Sandbox{}.Verify(token)
	require.True(t, fault.Is(err, fault.Unavailable), "the sandbox is off")
	_, err = sandbox.Verify(strings.Repeat("x", 17<<10))
	require.True(t, fault.Is(err, fault.Unauthorized))
}

func TestSandboxTokensThatAreNotIssued(t *testing.T) {
	for what, edit := range map[string]func(*tokens.SandboxGrant){
		"no account": func(g *tokens.SandboxGrant) { g.TenantID = "" }, "no project": func(g *tokens.SandboxGrant) { g.ProjectID = "" },
		"no call":       func(g *tokens.SandboxGrant) { g.ToolCallID = "" },
		"a bad session": func(g *tokens.SandboxGrant) { g.SessionID = "s 1" },
		"no time":       func(g *tokens.SandboxGrant) { g.Expires = issued },
		"too much time": func(g *tokens.SandboxGrant) { g.Expires = issued.Add(tokens.SandboxLongest + time.Second) },
		"another scope": func(g *tokens.SandboxGrant) { g.Stores = map[string]access.Store{"n": {Scope: "moon"}} },
		"a long name": func(g *tokens.SandboxGrant) {
			g.Stores = map[string]access.Store{strings.Repeat("n", 65): {Scope: "session"}}
		},
		"too many names": func(g *tokens.SandboxGrant) { g.Stores = stores(65) },
	} {
		g := grant
		edit(&g)
		_, err := sandbox.Issue(g)
		require.Error(t, err, what)
	}
	_, err := tokens.Sandbox{}.Issue(grant)
	require.ErrorContains(t, err, "no key")
	full := grant
	full.Stores = stores(64)
	token, err := sandbox.Issue(full)
	require.NoError(t, err)
	_, err = sandbox.Verify(token)
	require.NoError(t, err)
}

// stores are so many, with the longest names.
func stores(n int) map[string]access.Store {
	out := map[string]access.Store{}
	for i := range n {
		out[fmt.Sprintf("s%063d", i)] = access.Store{Scope: "contact", Read: true, Write: true}
	}
	return out
}
