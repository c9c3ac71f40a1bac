package main

import (
	"context"
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

const twoWorkspaces = `
kind: Tenant
metadata: {id: acme, name: Acme}
spec: {orgId: acme-org}
---
kind: Project
metadata: {id: bot, name: Bot, tenant: acme}
---
kind: Client
metadata: {id: console, name: Console, tenant: acme}
spec: {origin: admin, alg: HS256, secret: a-secret-of-a-client-with-32-bytes-or-more, permissions: [admin:apply]}
---
kind: Scope
metadata: {id: as-main, name: main, tenant: acme}
spec: {projectId: bot, permissions: {API_SCOPE_KEY_FULL: "YES", RUN_API: "YES"}}
---
kind: Scope
metadata: {id: as-strong, name: strong, tenant: acme}
spec: {projectId: bot, permissions: {API_SCOPE_KEY_FULL: "YES", APP_FULL: "YES"}}
---
kind: Tenant
metadata: {id: globex, name: Globex}
spec: {orgId: globex-org}
---
kind: Project
metadata: {id: shop, name: Shop, tenant: globex}
---
kind: Scope
metadata: {id: as-shop, name: main, tenant: globex}
spec: {projectId: shop, permissions: {API_SCOPE_KEY_FULL: "YES"}}
`

// tool runs a command to its end as an operator would: what it prints, and what it says beside.
func tool(t *testing.T, env []string, args ...string) (printed, said string, err error) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	cmd := exec.CommandContext(ctx, binary(t), args...)
	cmd.Env = append(clean(os.Environ()), env...)
	var out, notes strings.Builder
	cmd.Stdout, cmd.Stderr = &out, &notes
	err = cmd.Run()
	require.NoError(t, ctx.Err(), "parley %s does not end; it printed:\n%s\nand said:\n%s", strings.Join(args, " "), &out, &notes)
	return strings.TrimSpace(out.String()), notes.String(), err
}

// Without --dev: fresh node, operator's token, manifests, first key, and the key opens
// what its scope says. So it is for each tenant.
func TestTheFirstKeyOfAFreshNode(t *testing.T) {
	t.Parallel()
	data, manifests := dataFolder(t), write(t, "workspaces.yaml", twoWorkspaces)
	listen := freeAddress(t)
	p := serve(t, data, listen)
	keyset := filepath.Join(data, "keyset.json")
	operator, said, err := tool(t, nil, "token", "--operator", "--keyset", keyset)
	require.NoError(t, err, said)
	_, said, err = tool(t, []string{"PARLEY_TOKEN=" + operator}, "apply", "--url", p.url, "-f", manifests)
	require.NoError(t, err, said)

	reads := func(app, scope, key string) (status int, body string) {
		r, err := http.NewRequest(http.MethodGet, p.url+"/aaa/api/public/apps/"+app+"/scopes/"+scope, nil)
		require.NoError(t, err)
		r.Header.Set("x-api-key", key)
		res, err := p.http.Do(r)
		require.NoError(t, err)
		defer res.Body.Close()
		data, err := io.ReadAll(res.Body)
		require.NoError(t, err)
		return res.StatusCode, string(data)
	}
	create := func(env []string, args ...string) (string, string, error) {
		return tool(t, env, append([]string{"key", "create", "--url", p.url}, args...)...)
	}
	for _, x := range []struct{ account, app, scope string }{{"acme", "bot", "as-main"}, {"globex", "shop", "as-shop"}} {
		first, said, err := create(nil, "--keyset", keyset, "--account", x.account, "--project", x.app, "--scope", "main", "--name", "first")
		require.NoError(t, err, said)
		require.Regexp(t, `^sk_[0-9A-Za-z]{43}$`, first)
		require.Contains(t, said, "ak-")
		require.NotContains(t, said, first)
		status, body := reads(x.app, x.scope, first)
		require.Equal(t, 200, status, body)
	}
	token, said, err := tool(t, []string{"PARLEY_CLIENT_SECRET=a-secret-of-a-client-with-32-bytes-or-more"}, "token", "--client",
		"console", "--account", "acme")
	require.NoError(t, err, said)
	byConsole, said, err := create([]string{"PARLEY_TOKEN=" + token}, "--project", "bot", "--scope", "main", "--name", "console's")
	require.NoError(t, err, said)
	status, body := reads("bot", "as-main", byConsole)
	require.Equal(t, 200, status, body)

	for _, x := range []struct {
		about  string
		env    []string
		args   []string
		wanted string
	}{
		{"nobody", nil, []string{"--project", "bot", "--scope", "main", "--name", "x"}, "--keyset FILE"},
		{"no tenant", nil, []string{"--keyset", keyset, "--project", "bot", "--scope", "main", "--name", "x"}, "--account"},
		{"no keyset there", nil, []string{"--keyset", data + "/none", "--account", "acme", "--project", "bot", "--scope", "main", "--name",
			"x"}, "--keyset"},
		{"an operator of no tenant", []string{"PARLEY_TOKEN=" + operator}, []string{"--project", "bot", "--scope", "main", "--name", "x"},
			"--account ID"},
		{"a scope that is stronger than the client", []string{"PARLEY_TOKEN=" + token}, []string{"--project", "bot", "--scope", "strong",
			"--name", "x"}, "FORBIDDEN"},
		{"a taken name", []string{"PARLEY_TOKEN=" + token}, []string{"--project", "bot", "--scope", "main", "--name", "first"}, "CONFLICT"},
		{"no such scope", []string{"PARLEY_TOKEN=" + token}, []string{"--project", "bot", "--scope", "mine", "--name", "x"}, "NOT_FOUND"},
	} {
		t.Run(x.about, func(t *testing.T) {
			printed, said, err := create(x.env, x.args...)
			require.Error(t, err)
			require.Empty(t, printed)
			require.Contains(t, said, x.wanted)
		})
	}
}
