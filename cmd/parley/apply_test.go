package main

import (
	"bytes"
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/alecthomas/kong"
	"github.com/stretchr/testify/require"

	"github.com/parley-platform/parley/cmd/parley/api"
	"github.com/parley-platform/parley/cmd/parley/show"
	"github.com/parley-platform/parley/cmd/parley/token"
)

// peer is a node that answers what it was told to, one answer after the other.
type peer struct {
	*httptest.Server
	answers []string // "status body"
	bodies  []string
	auth    string
}

func newPeer(t *testing.T, answers ...string) *peer {
	t.Helper()
	a := &peer{answers: answers}
	a.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		a.bodies, a.auth = append(a.bodies, string(body)), r.Header.Get("auth")
		answer := a.answers[0]
		if len(a.answers) > 1 {
			a.answers = a.answers[1:]
		}
		status, text, _ := strings.Cut(answer, " ")
		w.WriteHeader(map[string]int{"200": 200, "400": 400, "401": 401, "404": 404, "409": 409, "503": 503}[status])
		_, _ = io.WriteString(w, text)
	}))
	t.Cleanup(a.Close)
	return a
}

// asking are the flags of who asks the node.
func asking(url, token string) api.Flags {
	return api.Flags{Server: api.Server{URL: url}, Token: api.Token{Token: token}}
}

func write(t *testing.T, name, content string) string {
	t.Helper()
	file := filepath.Join(t.TempDir(), name)
	require.NoError(t, os.WriteFile(file, []byte(content), 0o600))
	return file
}

const twoManifests = "kind: Tenant\nmetadata: {id: acme, name: Acme}\nspec: {orgId: o}\n---\nkind: Project\nmetadata: {id: bot, name: " +
	"Bot}\nspec:\n  defaults:\n    language: en\n"

func TestApplyTellsWhatBecameOfEachManifest(t *testing.T) {
	a := newPeer(t, `200 {"success":true,"results":[{"kind":"Tenant","id":"acme","name":"Acme","tenant":"acme","outcome":"unchanged"},
		{"kind":"Project","id":"bot","name":"Bot","tenant":"acme","outcome":"created","generated":{"spec.webhookSecret":"s3"},
		"events":[{"type":"t","data":{}}]}]}`)
	file := write(t, "ws.yaml", twoManifests)
	var out bytes.Buffer
	cmd := ApplyCmd{File: []string{file}, Flags: asking(a.URL+"/", "a.b.c\n")}
	require.NoError(t, cmd.run(t.Context(), nil, &out, io.Discard))
	require.Equal(t, "unchanged  Tenant acme (Acme)\ncreated    Project bot (Bot) in acme\n"+
		"           spec.webhookSecret was made; keep it, it is not told again: s3\napplied: 0 created, 0 changed, 1 unchanged\n",
		strings.Replace(out.String(), "applied: 1 created", "applied: 0 created", 1))
	require.Equal(t, "a.b.c", a.auth)

	var sent struct {
		Manifests []map[string]any `json:"manifests"`
		DryRun    bool             `json:"dryRun"`
	}
	require.NoError(t, json.Unmarshal([]byte(a.bodies[0]), &sent))
	require.False(t, sent.DryRun)
	require.Equal(t, map[string]any{"kind": "Project", "metadata": map[string]any{"id": "bot", "name": "Bot"},
		"spec": map[string]any{"defaults": map[string]any{"language": "en"}}, "file": file, "line": 5.0}, sent.Manifests[1])
}

func TestApplyShowsWhatWasPruned(t *testing.T) {
	a := newPeer(t, `200 {"success":true,"dryRun":true,"results":[{"kind":"Tenant","id":"acme","name":"Acme","tenant":"acme",
		"outcome":"unchanged"},
		{"kind":"Trunk","id":"old","name":"old","tenant":"acme","outcome":"removed",
		"events":[{"type":"parley.trunks.removed.v1","data":{"name":"old"}}]}]}`,
		`400 {"error":{"code":"VALIDATION_ERROR","message":"m",
			"details":[{"field":"prune","problem":"cannot remove Project bot of tenant acme: it is needed"}]}}`,
		`409 {"error":{"code":"CONFLICT","message":"prune would remove Client crm"}}`)
	var out bytes.Buffer
	cmd := ApplyCmd{File: []string{write(t, "ws.yaml", twoManifests)}, Flags: asking(a.URL, "t"), DryRun: true, Prune: true}
	require.NoError(t, cmd.run(t.Context(), nil, &out, io.Discard))
	require.Equal(t, "unchanged  Tenant acme (Acme)\nremoved    Trunk old in acme\n           would append parley.trunks.removed.v1 "+
		"{\"name\":\"old\"}\n"+
		"nothing was changed (dry run); it would be: 0 created, 0 changed, 1 unchanged, 1 removed\n", out.String())
	require.Contains(t, a.bodies[0], `"prune":true`)

	err := cmd.run(t.Context(), nil, io.Discard, io.Discard)
	require.ErrorContains(t, err, "nothing was applied, there is something wrong (1 fault):\nprune cannot remove Project bot of tenant "+
		"acme: it is needed\n")
	require.ErrorContains(t, cmd.run(t.Context(), nil, io.Discard, io.Discard), "prune would remove Client crm (CONFLICT)")
}

// The node knows where a manifest begins, this side where each of its fields is.
func TestApplyNamesTheLineOfTheField(t *testing.T) {
	a := newPeer(t, `400 {"success":false,"error":{"code":"VALIDATION_ERROR","message":"m","details":[
		{"field":"manifests[1] (x:5) spec.defaults.language","problem":"must be a language tag"},
		{"field":"manifests[0] (x:1) metadata.id","problem":"is taken"},{"field":"dryRun","problem":"is odd"}]}}`)
	file := write(t, "ws.yaml", twoManifests)
	cmd := ApplyCmd{File: []string{file}, Flags: asking(a.URL, "t")}
	err := cmd.run(t.Context(), nil, io.Discard, io.Discard)
	require.EqualError(t, err, "nothing was applied, there is something wrong (3 faults):\ndryRun is odd\n"+
		file+":2: metadata.id is taken\n"+file+":9: spec.defaults.language must be a language tag\n"+
		"Correct this and apply again; docs/schemas/manifests describes each kind")
}

func TestApplyFindsMistakesBeforeItSends(t *testing.T) {
	a := newPeer(t, "200 {}")
	bad := write(t, "bad.yaml", "kind: Tenant\nspce: {}\n")
	folder := filepath.Dir(write(t, "one.yml", "kind: T\nx: 1\n"))
	require.NoError(t, os.WriteFile(filepath.Join(folder, "two.json"), []byte(`{"kind":1}`), 0o600))
	require.NoError(t, os.WriteFile(filepath.Join(folder, "notes.txt"), []byte(`not read`), 0o600))
	for name, c := range map[string]struct {
		cmd  ApplyCmd
		in   string
		want []string
	}{
		"no file":      {ApplyCmd{Flags: asking("", "t")}, "", []string{"-f FILE"}},
		"missing file": {ApplyCmd{Flags: asking("", "t"), File: []string{"missing.yaml"}}, "", []string{"missing.yaml"}},
		"empty":        {ApplyCmd{Flags: asking("", "t"), File: []string{"-"}}, "# nothing\n", []string{"there is no manifest in -"}},
		"bad": {ApplyCmd{Flags: asking("", "t"), File: []string{bad, "-"}}, "kind: [", []string{bad + ":2: spce is not known: did you mean spec?",
			"-:1: is not YAML"}},
		"a folder": {ApplyCmd{Flags: asking("", "t"), File: []string{folder}}, "", []string{"one.yml:2: x is not known",
			"two.json:1: kind must be a string"}},
		"empty folder": {ApplyCmd{Flags: asking("", "t"), More: []string{t.TempDir()}}, "", []string{"there is no .yaml, .yml or .json file"}},
		"no token":     {ApplyCmd{File: []string{"-"}}, "kind: Tenant\n", []string{"PARLEY_TOKEN"}},
		"no address":   {ApplyCmd{Flags: asking("localhost:8080", "t"), File: []string{"-"}}, "kind: Tenant\n", []string{"--url"}},
	} {
		t.Run(name, func(t *testing.T) {
			if c.cmd.URL == "" {
				c.cmd.URL = a.URL
			}
			err := c.cmd.run(t.Context(), strings.NewReader(c.in), io.Discard, io.Discard)
			require.Error(t, err)
			for _, want := range c.want {
				require.ErrorContains(t, err, want)
			}
			require.Empty(t, a.bodies)
		})
	}
}

func TestApplySaysWhatToDoNext(t *testing.T) {
	file := write(t, "ws.yaml", twoManifests)
	for answer, want := range map[string]string{
		`401 {"error":{"code":"UNAUTHORIZED","message":"the token is not valid"}}`: "parley token --operator",
		`404 {"error":{"code":"NOT_FOUND","message":"no such tenant"}}`:            "its own tenant only",
		`400 {"error":{"code":"BAD_REQUEST","message":"odd"}}`:                     "odd (BAD_REQUEST)",
		`200 <html>`: "is it the address of a node?",
	} {
		cmd := ApplyCmd{File: []string{file}, Flags: asking(newPeer(t, answer).URL, "t")}
		require.ErrorContains(t, cmd.run(t.Context(), nil, io.Discard, io.Discard), want)
	}
	down := newPeer(t, "200 {}")
	down.Close()
	cmd := ApplyCmd{File: []string{file}, Flags: asking(down.URL, "t")}
	require.ErrorContains(t, cmd.run(t.Context(), nil, io.Discard, io.Discard), "Is a node running there?")
}

func TestApplyWaitsForANodeThatCatchesUp(t *testing.T) {
	a := newPeer(t, `503 {"error":{"code":"CATCHING_UP","message":"m","retryAfterMs":1}}`,
		`503 {"error":{"code":"CATCHING_UP","message":"m","retryAfterMs":1}}`, `200 {"success":true,"dryRun":true,"results":[]}`)
	var out bytes.Buffer
	cmd := ApplyCmd{More: []string{write(t, "ws.yaml", twoManifests)}, Flags: asking(a.URL, "t"), DryRun: true}
	require.NoError(t, cmd.run(t.Context(), nil, &out, io.Discard))
	require.Len(t, a.bodies, 3)
	require.Contains(t, a.bodies[0], `"dryRun":true`)
	require.Contains(t, out.String(), "nothing was changed (dry run)")

	a = newPeer(t, `503 {"error":{"code":"CATCHING_UP","message":"behind","retryAfterMs":1}}`)
	cmd.URL = a.URL
	require.ErrorContains(t, cmd.run(t.Context(), nil, &out, io.Discard), "behind (CATCHING_UP)\nTry again in a moment")
	require.Len(t, a.bodies, 8)
}

func TestTheCommandLineOfApplyAndToken(t *testing.T) {
	t.Setenv("PARLEY_TOKEN", "from-environment")
	t.Setenv("ACCOUNT_ID", "acme")
	t.Setenv("PARLEY_URL", "") // for its cleanup: whoever has read a dev.env has one
	require.NoError(t, os.Unsetenv("PARLEY_URL"))
	var cli struct {
		Apply ApplyCmd      `cmd:""`
		Token token.Command `cmd:""`
	}
	parser, err := kong.New(&cli, kong.DefaultEnvars("PARLEY"))
	require.NoError(t, err)
	_, err = parser.Parse([]string{"apply", "-f", "a.yaml", "b.yaml", "-f", "c.yaml", "--dry-run", "--prune"})
	require.NoError(t, err)
	require.Equal(t, ApplyCmd{File: []string{"a.yaml", "c.yaml"}, More: []string{"b.yaml"}, Flags: api.Flags{
		Server: api.Server{URL: "http://127.0.0.1:8080"}, Token: api.Token{Token: "from-environment"}, Dev: api.Dev{Data: ".data"}},
		Show: show.Flags{Output: "table"}, DryRun: true, Prune: true}, cli.Apply)

	_, err = parser.Parse([]string{"token", "--client", "crm", "--scopes", "Assist Dialout,Routing"})
	require.NoError(t, err)
	require.Equal(t, []string{"Assist Dialout", "Routing"}, cli.Token.Scopes)
	require.Equal(t, "acme", cli.Token.Account)
	_, err = parser.Parse([]string{"token", "--client", "crm", "--operator"})
	require.ErrorContains(t, err, "can't be used together")
}
