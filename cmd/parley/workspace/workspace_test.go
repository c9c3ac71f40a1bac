package workspace_test

import (
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/parley-platform/parley/adapters/embedded/embeddedtest"
	"github.com/parley-platform/parley/cmd/parley/node"
	"github.com/parley-platform/parley/cmd/parley/workspace"
	"github.com/parley-platform/parley/domain/access"
	"github.com/parley-platform/parley/domain/agents"
	"github.com/parley-platform/parley/domain/contactlists"
	"github.com/parley-platform/parley/domain/deployments"
	"github.com/parley-platform/parley/domain/event"
	"github.com/parley-platform/parley/eventstore"
	"github.com/parley-platform/parley/examples"
)

// A second start finds what the first one made; a key whose file is lost, or that is of
// another log, is replaced.
func TestTheWorkspaceIsMadeOnceAndItsKeyKept(t *testing.T) {
	dir := t.TempDir()
	n, err := node.Start(t.Context(), node.Config{Data: dir, Listen: "127.0.0.1:0", KafkaBrokers: embeddedtest.Broker(t),
		DatabaseURL: embeddedtest.Database(t), Dev: true, Roles: []node.Role{node.RoleAPI,
			node.RoleProjector}, Logger: slog.New(slog.DiscardHandler)})
	require.NoError(t, err)
	defer n.Close(t.Context())
	require.NoError(t, n.Await(t.Context()))
	prepare := func() workspace.Workspace {
		w, err := workspace.Prepare(t.Context(), n, dir)
		require.NoError(t, err)
		known, err := n.KnowsKey(t.Context(), w.APIKey)
		require.NoError(t, err)
		require.True(t, known)
		return w
	}
	first := prepare()
	require.Equal(t, []string{examples.Account, examples.Project, examples.Scope}, []string{first.Account, first.Project, first.Scope})
	require.NotEqual(t, first.Token, first.Token2, "each tenant's")
	require.Equal(t, first.APIKey, prepare().APIKey)

	// The node's own page of the widget is one of those that the key is for, whatever its port.
	scope, err := eventstore.Read(t.Context(), n.Store(), access.Scopes, access.ScopeStream(examples.Account, examples.Scope))
	require.NoError(t, err)
	require.Subset(t, scope.State.Keys["ak-acme-widget"].Origins, []string{"http://localhost:3000", n.URL(),
		strings.Replace(n.URL(), "127.0.0.1", "localhost", 1)})

	// Its agents are deployed once, whatever becomes of them.
	served := func() deployments.State {
		read, err := eventstore.Read(t.Context(), n.Store(), deployments.Deployments, deployments.Stream(examples.Account, examples.Project))
		require.NoError(t, err)
		return read.State
	}
	require.Len(t, served().Deployments, 1)
	made := served().Deployments[first.Deployment]
	require.Equal(t, []any{"dev", examples.EntryAgent, deployments.Active}, []any{made.Environment, made.EntryAgent, made.Status})
	require.Equal(t, 1, made.Manifest[examples.Agent].Version)
	execute(t, n, agents.Agents, agents.Stream(examples.Account, examples.Project), agents.Save{TenantID: examples.Account,
		ProjectID: examples.Project, AgentID: made.Manifest[examples.Agent].AgentID, DSLContent: "changed"}.Decide)
	execute(t, n, deployments.Deployments, deployments.Stream(examples.Account, examples.Project),
		deployments.Retire{DeploymentID: first.Deployment, At: time.Now()}.Decide)
	require.Equal(t, first.Deployment, prepare().Deployment)
	require.Len(t, served().Deployments, 1)
	require.Equal(t, deployments.Retired, served().Deployments[first.Deployment].Status)

	// Somebody who is not on a list any more does not come back.
	lists := func() (version int64) {
		read, err := eventstore.Read(t.Context(), n.Store(), contactlists.Lists, contactlists.Stream(examples.Account, examples.Project))
		require.NoError(t, err)
		return read.Version
	}
	filled := lists()
	execute(t, n, contactlists.Lists, contactlists.Stream(examples.Account, examples.Project), contactlists.DefineList{
		TenantID: examples.Account, ProjectID: examples.Project, ID: "cl-acme-renewals", Name: "Renewals this quarter",
		Contacts: []contactlists.Contact{{PhoneNumber: "+15550101001"}}}.Decide)
	without := lists()
	require.Greater(t, without, filled)
	prepare()
	require.Equal(t, without, lists())

	file := filepath.Join(dir, "dev-api-key")
	info, err := os.Stat(file)
	require.NoError(t, err)
	require.Equal(t, os.FileMode(0o600), info.Mode().Perm())
	require.NoError(t, os.WriteFile(file, []byte("ak-of-another-log\n"), 0o600))
	require.NotEqual(t, first.APIKey, prepare().APIKey)
	require.NoError(t, os.Remove(file))
	require.NotEqual(t, first.APIKey, prepare().APIKey)
}

func execute[S any](t *testing.T, n *node.Node, agg *event.Aggregate[S], stream string, decide func(S) ([]event.Payload, error)) {
	t.Helper()
	_, err := eventstore.Execute(t.Context(), n.Store(), agg, stream, eventstore.Command{Tenant: examples.Account, Actor: "user:ann"}, decide)
	require.NoError(t, err)
}
