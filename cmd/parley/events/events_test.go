package events

import (
	"bufio"
	"bytes"
	"context"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"sort"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/parley-platform/parley/adapters/embedded/childtest"
	"github.com/parley-platform/parley/adapters/embedded/embeddedtest"
	"github.com/parley-platform/parley/cmd/parley/api"
	"github.com/parley-platform/parley/cmd/parley/connect"
	"github.com/parley-platform/parley/cmd/parley/exit"
	"github.com/parley-platform/parley/cmd/parley/node"
	"github.com/parley-platform/parley/domain/access"
	"github.com/parley-platform/parley/handlers/apply"
	"github.com/parley-platform/parley/handlers/apply/manifest"
	"github.com/parley-platform/parley/handlers/rest/tokens"
)

func TestMoments(t *testing.T) {
	now := time.Date(2026, 11, 21, 12, 0, 0, 0, time.UTC)
	for text, want := range map[string]time.Time{
		"":                          {},
		"2026-11-20T00:00:00Z":      time.Date(2026, 11, 20, 0, 0, 0, 0, time.UTC),
		"2026-11-20T00:00:00+01:00": time.Date(2026, 11, 19, 23, 0, 0, 0, time.UTC),
		"90m":                       now.Add(-90 * time.Minute),
		"7d":                        now.Add(-7 * 24 * time.Hour),
	} {
		got, err := Moment("--since", text, now)
		require.NoError(t, err, text)
		require.True(t, want.Equal(got), "%s: %s", text, got)
	}
	for _, text := range []string{"yesterday", "-1h", "1", "d", "-3d", "999999999999d", "2026-11-21"} {
		_, err := Moment("--since", text, now)
		require.ErrorContains(t, err, "--since", text)
	}
}

// A node that cuts the stream in the middle of an event: the event is shown once, and
// the client goes on behind the last whole one.
func TestFollowGoesOnBehindTheLastWholeEvent(t *testing.T) {
	var asked []string
	answers := []string{
		"retry: 2000\nid: start\n\nid: p1\nevent: x\ndata: {\"n\":1}\n\nid: p2\nevent: x\ndata: {\"n\":",
		"id: p1\n\nid: p2\nevent: x\ndata: {\"n\":2}\n\n: still here\nid: p5\n\n",
		"id: p5\n\nid: p6\nevent: x\ndata: {\"n\":3}\n\n",
	}
	node := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		asked = append(asked, r.Header.Get("Last-Event-ID"))
		_, _ = io.WriteString(w, answers[len(asked)-1])
	}))
	defer node.Close()
	var out, notes bytes.Buffer
	cmd := &Command{Follow: true, Limit: 3, Server: api.Server{URL: node.URL}, Token: api.Token{Token: "t"}, Order: "asc"}
	require.NoError(t, cmd.run(context.Background(), &out, &notes))
	require.Equal(t, "{\"n\":1}\n{\"n\":2}\n{\"n\":3}\n", out.String())
	require.Equal(t, []string{"", "p1", "p5"}, asked)
	require.Contains(t, notes.String(), "the stream was cut")
}

func TestEventsSayWhatToDoNext(t *testing.T) {
	refusing := func(status int, code string) *httptest.Server {
		s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
			w.WriteHeader(status)
			_, _ = fmt.Fprintf(w, `{"success":false,"error":{"code":%q,"message":"no"}}`, code)
		}))
		t.Cleanup(s.Close)
		return s
	}
	for name, row := range map[string]struct {
		cmd     Command
		say     string
		changes bool // the caller has to change something
	}{
		"no token":   {Command{Server: api.Server{URL: "http://x"}}, "PARLEY_TOKEN", true},
		"no address": {Command{Server: api.Server{URL: "x"}, Token: api.Token{Token: "t"}}, "--url", true},
		"tenant of a node": {Command{Server: api.Server{URL: "http://x"}, Token: api.Token{Token: "t"}, Tenant: "acme"}, "--kafka-brokers",
			true},
		"backwards": {Command{Server: api.Server{URL: "http://x"}, Token: api.Token{Token: "t"}, Since: "1h", Until: "2h"}, "--until",
			true},
		"follow to an end": {Command{Server: api.Server{URL: "http://x"}, Token: api.Token{Token: "t"}, Follow: true, Until: "1h"}, "--follow",
			true},
		"negative limit":    {Command{Server: api.Server{URL: "http://x"}, Token: api.Token{Token: "t"}, Limit: -1}, "--limit", true},
		"unknown category":  {Command{Category: "cals", KafkaFlags: connect.KafkaFlags{KafkaBrokers: []string{"x"}}}, "--category", true},
		"log, newest first": {Command{Order: "desc", KafkaFlags: connect.KafkaFlags{KafkaBrokers: []string{"x"}}}, "--order", true},
		"nobody there":      {Command{Server: api.Server{URL: "http://127.0.0.1:1"}, Token: api.Token{Token: "t"}}, "parley serve", false},
		"nobody to follow": {Command{Server: api.Server{URL: "http://127.0.0.1:1"}, Token: api.Token{Token: "t"}, Follow: true}, "parley serve",
			false},
		"token refused": {Command{Server: api.Server{URL: refusing(401, "UNAUTHORIZED").URL}, Token: api.Token{Token: "t"}}, "parley token",
			true},
		"not allowed": {Command{Server: api.Server{URL: refusing(403, "FORBIDDEN").URL}, Token: api.Token{Token: "t"}, Follow: true},
			"audit:read", true},
		"position gone": {Command{Server: api.Server{URL: refusing(410, "GONE").URL}, Token: api.Token{Token: "t"}, Follow: true}, "GONE",
			true},
		"failing": {Command{Server: api.Server{URL: refusing(500, "INTERNAL_ERROR").URL}, Token: api.Token{Token: "t"}},
			"log of the node", false},
		"no node of Parley": {Command{Server: api.Server{URL: refusing(418, "").URL}, Token: api.Token{Token: "t"}}, "address of a node", false},
		"following, failing": {Command{Server: api.Server{URL: refusing(500, "INTERNAL_ERROR").URL}, Token: api.Token{Token: "t"}, Follow: true},
			"log of the node", false},
	} {
		t.Run(name, func(t *testing.T) {
			err := row.cmd.run(context.Background(), io.Discard, io.Discard)
			require.ErrorContains(t, err, row.say)
			require.Equal(t, row.changes, exit.Of(err) == exit.Change, "%v", err)
		})
	}
}

// What a node lists and what the log holds by the accept rule are the same lines.
func TestTheLogAndTheNodeShowTheSame(t *testing.T) {
	childtest.Integration(t)
	ctx := context.Background()
	brokers, database := embeddedtest.Parts(t)
	n, err := node.Start(ctx, node.Config{Data: t.TempDir(), Listen: "127.0.0.1:0", KafkaBrokers: brokers, DatabaseURL: database, Dev: true,
		Roles:  []node.Role{node.RoleAPI, node.RoleProjector},
		Logger: slog.New(slog.DiscardHandler)})
	require.NoError(t, err)
	defer n.Close(ctx)
	require.NoError(t, n.Await(ctx))
	secret := strings.Repeat("a secret ", 6)
	for _, tenant := range []string{"acme", "other"} {
		manifests, err := manifest.Parse("set", []byte(fmt.Sprintf("kind: Tenant\nmetadata: {id: %[1]s, name: %[1]s}\nspec: {orgId: "+
			"%[1]s-org}\n---\nkind: Client\nmetadata: {id: c, name: c, tenant: %[1]s}\n"+
			"spec: {origin: admin, alg: HS256, secret: %[2]q, permissions: ['audit:read']}\n", tenant, secret)), apply.Kinds())
		require.NoError(t, err)
		_, err = apply.New(n.Store(), n.Vault()).Do(ctx, apply.Request{Manifests: manifests}, apply.Caller{Actor: "test", Operator: true})
		require.NoError(t, err)
	}
	token, err := tokens.Issue(tokens.Grant{TenantID: "acme", ClientID: "c", Subject: "ada",
		Permissions: []access.Permission{access.PermAuditRead},
		Issued:      time.Now(), Expires: time.Now().Add(time.Hour)}, []byte(secret))
	require.NoError(t, err)

	show := func(cmd Command) []string {
		var out bytes.Buffer
		require.NoError(t, cmd.run(ctx, &out, io.Discard))
		var lines []string
		for in := bufio.NewScanner(&out); in.Scan(); {
			lines = append(lines, in.Text())
		}
		return lines
	}
	log := connect.KafkaFlags{KafkaBrokers: brokers}
	fromNode := show(Command{Server: api.Server{URL: n.URL()}, Token: api.Token{Token: token}, Order: "asc"})
	require.Len(t, fromNode, 2)
	require.Equal(t, fromNode, show(Command{KafkaFlags: log, Tenant: "acme"}))
	require.Equal(t, fromNode[:1], show(Command{KafkaFlags: log, Tenant: "acme", Limit: 1}))
	require.Equal(t, fromNode[:1], show(Command{KafkaFlags: log, Tenant: "acme", Type: "parley.tenants.defined"}))
	require.Empty(t, show(Command{KafkaFlags: log, Tenant: "nobody"}))
	require.Equal(t, fromNode[1:], show(Command{Server: api.Server{URL: n.URL()}, Token: api.Token{Token: token}, Order: "desc", Limit: 1}))
	followed := show(Command{KafkaFlags: log, Tenant: "acme", Since: "1h", Follow: true, Limit: 2})
	sort.Strings(followed)
	want := append([]string(nil), fromNode...)
	sort.Strings(want)
	require.Equal(t, want, followed)
}
