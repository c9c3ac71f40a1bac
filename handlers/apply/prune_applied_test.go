package apply_test

import (
	"context"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/parley-platform/parley/domain/access"
	"github.com/parley-platform/parley/domain/event"
	"github.com/parley-platform/parley/domain/fault"
	"github.com/parley-platform/parley/eventstore"
	"github.com/parley-platform/parley/handlers/apply"
	accessmodels "github.com/parley-platform/parley/projections/access"
	"github.com/parley-platform/parley/projections/voice"
)

// smaller is the workspace without its manifests of some names.
func smaller(t *testing.T, without ...string) string {
	t.Helper()
	var kept []string
	for _, doc := range strings.Split(string(company), "\n---\n") {
		gone := false
		for _, line := range without {
			gone = gone || strings.Contains(doc, line)
		}
		if !gone {
			kept = append(kept, doc)
		}
	}
	return strings.Join(kept, "\n---\n")
}

func (n *node) prune(t *testing.T, yaml string, dryRun bool) (apply.Report, error) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	r := request(t, yaml)
	r.Prune, r.DryRun = true, dryRun
	return n.applier.Do(ctx, r, operator)
}

// key makes an API key of the workspace's scope.
func (n *node) key(t *testing.T, hash string) {
	t.Helper()
	create := access.CreateKey{KeyID: "ak-" + hash, Name: hash, Hash: hash, At: time.Now()}
	_, err := eventstore.Execute(t.Context(), n.store, access.Scopes, access.ScopeStream("acme", "as-acme-main"),
		eventstore.Command{Tenant: "acme", Actor: "test"},
		func(s access.ScopeState) ([]event.Payload, error) { return create.Decide(s) })
	require.NoError(t, err)
}

func TestPruneTakesAwayWhatIsNotNamedAnyMore(t *testing.T) {
	n := start(t)
	_, err := n.apply(t, string(company), operator)
	require.NoError(t, err)
	_, err = n.apply(t, "kind: Tenant\nmetadata: {id: globex, name: Globex}\nspec: {orgId: o}\n---\nkind: Project\nmetadata: {id: g-bot, "+
		"name: G, tenant: globex}", operator)
	require.NoError(t, err)
	n.key(t, "h1")
	a := accessmodels.NewAccess(n.db.Queries)
	_, ok, err := a.APIKey(t.Context(), "h1")
	require.NoError(t, err)
	require.True(t, ok)
	before := n.count(t, "")

	small := smaller(t, "id: as-acme-main", "id: agent-acme-support", "id: cf-acme-support")
	want := []string{"acme: ExperienceFlow cf-acme-support (Acme support line)", "acme: Agent agent-acme-support (acme-support)",
		"acme: Scope as-acme-main (main)"}

	dry, err := n.prune(t, small, true)
	require.NoError(t, err)
	got, _ := removals(dry)
	require.Equal(t, want, got)
	require.Equal(t, before, n.count(t, ""), "a dry run appends nothing")

	_, err = n.prune(t, smaller(t, "id: agent-acme-support"), false)
	require.Len(t, refusals(t, err), 1, "a flow still names the agent")
	require.Equal(t, before, n.count(t, ""), "a refused set removes nothing")

	done, err := n.prune(t, small, false)
	require.NoError(t, err)
	got, _ = removals(done)
	require.Equal(t, want, got)
	require.Equal(t, before+4, n.count(t, ""))
	_, ok, err = a.APIKey(t.Context(), "h1")
	require.NoError(t, err)
	require.False(t, ok, "the key of a removed scope opens nothing")
	setup, err := voice.NewSetups(n.db.Queries).CallSetup(t.Context(), "acme", "acme-bot", "", "15550100")
	require.NoError(t, err)
	require.Empty(t, setup.Flow)

	again, err := n.prune(t, small, false)
	require.NoError(t, err)
	require.Len(t, again.Results, 5)
	for _, r := range again.Results {
		require.Equal(t, apply.Unchanged, r.Outcome, "%s %s", r.Kind, r.Name)
	}
	require.Equal(t, before+4, n.count(t, ""), "pruning twice appends nothing")

	all, err := n.prune(t, smaller(t, "tenant: acme"), false)
	require.NoError(t, err)
	got, _ = removals(all)
	require.Equal(t, []string{"acme: ExperienceFlow cf-acme-announcements (Acme announcements)", "acme: Trunk local (local)",
		"acme: Client acme-console (Acme Console)", "acme: Project acme-bot (Acme Support)"}, got)
	_, ok, err = a.Client(t.Context(), "acme", "acme-console")
	require.NoError(t, err)
	require.False(t, ok, "the client's tokens end")
	_, ok, err = a.Project(t.Context(), "acme", "IID-acme-9b42e17c")
	require.NoError(t, err)
	require.False(t, ok, "nor do the project's aliases mean anything")
	_, _, ok, err = a.Tenant(t.Context(), "acme")
	require.NoError(t, err)
	require.True(t, ok, "a tenant is never removed")
	_, ok, err = a.Project(t.Context(), "globex", "g-bot")
	require.NoError(t, err)
	require.True(t, ok, "the other tenant was not in the set")

	back, err := n.apply(t, string(company), operator)
	require.NoError(t, err)
	for _, r := range back.Results[1:] {
		require.Equal(t, apply.Created, r.Outcome, "%s %s comes back", r.Kind, r.Name)
	}
	_, ok, err = a.APIKey(t.Context(), "h1")
	require.NoError(t, err)
	require.False(t, ok, "a scope that comes back does not bring its keys")
}

// Between the two passes a scope may have been defined in a project that is to go.
func TestARefusedRemovalTellsHowFarItCame(t *testing.T) {
	n := inMemory(t)
	_, err := n.apply(t, "kind: Tenant\nmetadata: {id: acme, name: A}\nspec: {orgId: o}\n---\nkind: Project\nmetadata: {id: old, name: Old, "+
		"tenant: acme}\n---\nkind: Client\nmetadata: {id: gone, name: Gone, tenant: acme}\nspec: {alg: HS256}", operator)
	require.NoError(t, err)
	racing := apply.New(n.store, &racingVault{Vault: n.vault, meanwhile: func() {
		_, err := n.apply(t, "kind: Scope\nmetadata: {id: as-late, name: late, tenant: acme}\nspec: {projectId: old}", operator)
		require.NoError(t, err)
	}})
	r := request(t, "kind: Tenant\nmetadata: {id: acme, name: A}\nspec: {orgId: o}\n---\nkind: Client\nmetadata: {id: crm, name: CRM, "+
		"tenant: acme}\nspec: {alg: HS256}")
	r.Prune = true
	_, err = racing.Do(t.Context(), r, operator)
	require.True(t, fault.Is(err, fault.Conflict), "%v", err)
	for _, want := range []string{
		"the removal of Project old: project old still has scopes; remove them first",
		"applied before it: Tenant acme (ws.yaml:1), Client crm (ws.yaml:5), the removal of Client gone;",
		"not applied: the removal of Project old;",
	} {
		require.Contains(t, err.Error(), want)
	}
}
