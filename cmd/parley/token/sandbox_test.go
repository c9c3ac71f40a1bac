package token

import (
	"bytes"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/parley-platform/parley/adapters/vault"
	"github.com/parley-platform/parley/domain/access"
	"github.com/parley-platform/parley/handlers/rest/tokens"
)

func TestATokenForTheCodeOfATool(t *testing.T) {
	keyset := filepath.Join(t.TempDir(), "keyset.json")
	v, err := vault.Create(keyset)
	require.NoError(t, err)
	cmd := Command{Sandbox: true, Keyset: keyset, Account: "acme", Project: "shop", Session: "s-1", Expires: time.Hour,
		Stores: []string{"notes:session:readwrite", " profile:contact:read", "rates:project:write"}}
	var out bytes.Buffer
	require.NoError(t, cmd.run(&out, at))
	p, err := tokens.Sandbox{Secret: v.SandboxSecret(), Now: func() time.Time { return at.Add(time.Minute) }}.Verify(strings.TrimSpace(
		out.String()))
	require.NoError(t, err)
	require.Regexp(t, "^cli-", p.Subject)
	p.Subject = ""
	require.Equal(t, access.Principal{TenantID: "acme", Kind: access.SandboxCredential, ProjectID: "shop", SessionID: "s-1",
		Stores: map[string]access.Store{"notes": {Scope: "session", Read: true, Write: true}, "profile": {Scope: "contact", Read: true},
			"rates": {Scope: "project", Write: true}}, Trial: true}, p, "no call has to run for it")

	out.Reset()
	cmd.Output = "json"
	require.NoError(t, cmd.run(&out, at))
	require.Contains(t, out.String(), `"expiresAt"`)
}

func TestWhatASandboxTokenNeeds(t *testing.T) {
	keyset := filepath.Join(t.TempDir(), "keyset.json")
	_, err := vault.Create(keyset)
	require.NoError(t, err)
	for problem, edit := range map[string]func(*Command){
		"--keyset": func(c *Command) { c.Keyset = "" }, "--account": func(c *Command) { c.Account = "" },
		"--project": func(c *Command) { c.Project = "" }, "--session": func(c *Command) { c.Session = "" },
		"name at least one": func(c *Command) { c.Stores = nil }, "NAME:SCOPE:ACCESS": func(c *Command) { c.Stores = []string{"notes"} },
		"the scope session": func(c *Command) { c.Stores = []string{"notes:moon:read"} },
		"read, write":       func(c *Command) { c.Stores = []string{"notes:session:all"} },
		"good for more":     func(c *Command) { c.Expires = 0 },
		"by their ids":      func(c *Command) { c.Session = "s 1" },
	} {
		cmd := Command{Sandbox: true, Keyset: keyset, Account: "acme", Project: "shop", Session: "s-1", Expires: time.Minute,
			Stores: []string{"notes:session:read"}}
		edit(&cmd)
		var out bytes.Buffer
		err := cmd.run(&out, at)
		require.ErrorContains(t, err, problem)
		require.Empty(t, out.String())
	}
}
