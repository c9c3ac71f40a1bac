package apply_test

import (
	"bytes"
	"context"
	_ "embed"
	"fmt"
	"log/slog"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/parley-platform/parley/adapters/embedded/embeddedtest"
	"github.com/parley-platform/parley/adapters/kafka"
	"github.com/parley-platform/parley/adapters/postgres"
	"github.com/parley-platform/parley/adapters/vault"
	"github.com/parley-platform/parley/cmd/parley/slices"
	"github.com/parley-platform/parley/domain/access"
	"github.com/parley-platform/parley/domain/catalog"
	"github.com/parley-platform/parley/domain/event"
	"github.com/parley-platform/parley/domain/fault"
	"github.com/parley-platform/parley/eventstore"
	"github.com/parley-platform/parley/eventstore/memory"
	"github.com/parley-platform/parley/examples"
	"github.com/parley-platform/parley/handlers/apply"
	"github.com/parley-platform/parley/migrations"
	accessmodels "github.com/parley-platform/parley/projections/access"
	"github.com/parley-platform/parley/projections/engine"
	"github.com/parley-platform/parley/projections/voice"
)

// company is a set of manifests that stays as it is, whatever the example shows.
//
//go:embed testdata/company.yaml
var company []byte

// node is one Parley node without its API: a real one, or one whose log is in memory and
// which has no read models.
type node struct {
	log       *memory.Log // nil: a real one
	db        *postgres.DB
	projector *engine.Projector
	store     *eventstore.Store
	vault     *vault.Vault
	applier   *apply.Applier
}

func start(t *testing.T) *node {
	t.Helper()
	if testing.Short() {
		t.Skip("integration test on the embedded parts")
	}
	brokers, url := embeddedtest.Parts(t)
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	logger := slog.New(slog.NewTextHandler(os.Stderr, &slog.HandlerOptions{Level: slog.LevelError}))
	log := kafka.New(kafka.Config{Brokers: brokers, ClientID: "n", Log: logger})
	t.Cleanup(log.Close)
	require.NoError(t, log.Open(ctx, catalog.Categories()))
	n := &node{}
	var err error
	n.db, err = postgres.Open(ctx, url, func() {
		if n.projector != nil {
			n.projector.Reset("another server")
		}
	})
	require.NoError(t, err)
	t.Cleanup(n.db.Close)
	n.projector = engine.NewProjector(engine.Config{Node: "n", Log: log, Queries: n.db.Queries, Writes: n.db.Projector, Logger: logger,
		Categories: catalog.Categories(), Models: slices.Models(newVault(t)),
		Prepare: func(ctx context.Context) error { return n.db.Migrate(ctx, migrations.Files) }})
	require.NoError(t, n.projector.Start(ctx))
	t.Cleanup(func() { n.projector.Close(context.Background()) })
	n.store = eventstore.New(eventstore.Config{Node: "n", Batches: log, Index: n.projector.Index(), Follower: n.projector, Topology: log,
		Log: logger})
	t.Cleanup(n.store.Close)
	n.vault = newVault(t)
	n.applier = apply.New(n.store, n.vault)
	require.Eventually(t, func() bool { return n.projector.Gate() == nil }, 30*time.Second, 10*time.Millisecond)
	return n
}

// inMemory is a node for what the streams alone can tell.
func inMemory(t *testing.T) *node {
	t.Helper()
	n := &node{vault: newVault(t)}
	n.log, n.store = newLog(t)
	n.applier = apply.New(n.store, n.vault)
	return n
}

func (n *node) apply(t *testing.T, yaml string, by apply.Caller) (apply.Report, error) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	return n.applier.Do(ctx, request(t, yaml), by)
}

func outcomes(r apply.Report) map[string]apply.Outcome {
	out := map[string]apply.Outcome{}
	for _, one := range r.Results {
		out[one.Kind+" "+one.Name] = one.Outcome
	}
	return out
}

// count is the number of accepted events that hold a text, in value or in envelope;
// all for an empty one.
func (n *node) count(t *testing.T, text string) (events int) {
	t.Helper()
	if n.log != nil {
		for _, r := range n.log.Accepted() {
			if strings.Contains(fmt.Sprintf("%s %s", r.Headers(), r.Data), text) {
				events++
			}
		}
		return events
	}
	require.NoError(t, n.db.Queries.QueryRow(t.Context(),
		`SELECT count(*) FROM events e WHERE strpos(e::text, $1) > 0 OR strpos(convert_from(e.data, 'UTF8'), $1) > 0 OR $1 = ''`,
		text).Scan(&events))
	return events
}

func TestTheWorkspaceIsAppliedOnce(t *testing.T) {
	n := start(t)
	workspace := string(examples.Workspace)

	first, err := n.apply(t, workspace, operator)
	require.NoError(t, err)
	raised := 0
	for _, r := range first.Results {
		raised += len(r.Events)
		require.Equal(t, apply.Created, r.Outcome, "%s %s", r.Kind, r.Name)
		require.NotEmpty(t, r.Events)
		require.Empty(t, r.Generated, "the workspace names its secrets")
	}
	events := n.count(t, "")
	require.Equal(t, raised, events)

	second, err := n.apply(t, workspace, operator)
	require.NoError(t, err)
	for _, r := range second.Results {
		require.Equal(t, apply.Unchanged, r.Outcome, "%s %s", r.Kind, r.Name)
		require.Empty(t, r.Events)
	}
	require.Equal(t, events, n.count(t, ""), "applying twice appends nothing")

	a := accessmodels.NewAccess(n.db.Queries)
	client, ok, err := a.Client(t.Context(), "acme", "acme-console")
	require.NoError(t, err)
	require.True(t, ok)
	require.Equal(t, access.OriginAdmin, client.Origin)
	require.Len(t, client.Scopes, len(access.ClientScopes()))
	for _, p := range access.Permissions() {
		granted := access.Principal{Kind: access.TokenCredential}
		for _, has := range client.Permissions {
			granted.Permissions = append(granted.Permissions, access.Permission(has))
		}
		require.True(t, granted.HasPermission(p), "the console may do %s", p)
	}
	secret, err := n.vault.Unseal(client.Secret, vault.ClientSecretContext("acme", "acme-console"))
	require.NoError(t, err)
	require.Equal(t, "development-only-client-secret-of-acme-console", string(secret))

	for _, name := range []string{"acme-bot", "st-3f0c9a52-6a1e-5d0b-9f3e-2b7c41d8e6a0", "aa-8d21c7f4-0b95-5c3a-8e62-71f0a4d9b3c5",
		"IID-acme-9b42e17c"} {
		project, ok, err := a.Project(t.Context(), "acme", name)
		require.NoError(t, err)
		require.True(t, ok, name)
		require.Equal(t, "acme-bot", project.ID)
		webhook, err := n.vault.Unseal(project.WebhookSecret, vault.WebhookSecretContext("acme", "acme-bot"))
		require.NoError(t, err)
		require.Equal(t, "development-only-webhook-secret-of-acme-bot", string(webhook))
	}
	scope, ok, err := a.Scope(t.Context(), "acme", "as-acme-main")
	require.NoError(t, err)
	require.True(t, ok)
	for _, p := range access.KeyPermissions() {
		require.Equal(t, access.Yes, scope.Permissions[p], p)
	}
	voice := voice.NewSetups(n.db.Queries)
	spoken, err := voice.CallSetup(t.Context(), "acme", "acme-bot", "", "+15550100")
	require.NoError(t, err)
	require.NotEmpty(t, spoken.Flow.ID)
	require.Contains(t, spoken.AgentDSL, "ON_START")
	require.Equal(t, "local", spoken.Trunk, "the default one")
	silent, err := voice.CallSetup(t.Context(), "acme", "acme-bot", "none", "15550101")
	require.NoError(t, err)
	require.NotEmpty(t, silent.Flow.ID)
	require.Empty(t, silent.AgentDSL)
	require.Empty(t, silent.Trunk, "none of that name")

	require.Zero(t, n.count(t, "development-only"), "no secret is on the log")
	require.Equal(t, events, n.count(t, operator.Actor), "every event says who applied")
	require.Equal(t, events, n.count(t, operator.CorrelationID))
}

func TestASetThatIsWrongAppliesNothing(t *testing.T) {
	n := inMemory(t)
	bad := "---\nkind: Trunk\nmetadata: {name: other, tenant: acme}\nspec: {provider: pigeon}\n"
	line := bytes.Count(company, []byte("\n")) + 4
	_, err := n.apply(t, string(company)+bad, operator)
	require.Equal(t, []string{fmt.Sprintf("manifests[8] (ws.yaml:%d) spec.provider must be one of local, sip", line)}, refusals(t, err))
	require.Zero(t, n.count(t, ""))

	r := request(t, string(company))
	r.DryRun = true
	_, err = n.applier.Do(t.Context(), r, operator)
	require.NoError(t, err)
	require.Zero(t, n.count(t, ""), "a dry run appends nothing")
}

func TestChangesAreJudgedOnWhatIsThere(t *testing.T) {
	n := start(t)
	_, err := n.apply(t, string(company), operator)
	require.NoError(t, err)
	console := apply.Caller{Actor: "user:ada@acme-console", TenantID: "acme", Rights: access.Everything}

	t.Run("a client's caller need not name its tenant", func(t *testing.T) {
		report, err := n.apply(t, `
kind: Tenant
metadata: {id: acme, name: Acme Incorporated}
spec: {orgId: acme-org}
---
kind: Project
metadata: {id: second-bot, name: Second}
---
kind: Scope
metadata: {id: as-second, name: main}
spec: {projectId: second-bot, permissions: {RUN_API: "YES"}}
`, console)
		require.NoError(t, err)
		require.Equal(t, map[string]apply.Outcome{"Tenant Acme Incorporated": apply.Changed, "Project Second": apply.Created,
			"Scope main": apply.Created}, outcomes(report))
		made := report.Results[1].Generated["spec.webhookSecret"]
		require.Len(t, made, 43, "a secret that the manifest does not name is made and told")
		require.Zero(t, n.count(t, made))
		project, _, err := accessmodels.NewAccess(n.db.Queries).Project(t.Context(), "acme", "second-bot")
		require.NoError(t, err)
		plain, err := n.vault.Unseal(project.WebhookSecret, vault.WebhookSecretContext("acme", "second-bot"))
		require.NoError(t, err)
		require.Equal(t, made, string(plain))

		again, err := n.apply(t, "kind: Project\nmetadata: {id: second-bot, name: Second bot}", console)
		require.NoError(t, err)
		require.Equal(t, apply.Changed, again.Results[0].Outcome)
		require.Empty(t, again.Results[0].Generated, "the secret that is there stays")
		kept, _, err := accessmodels.NewAccess(n.db.Queries).Project(t.Context(), "acme", "second-bot")
		require.NoError(t, err)
		require.Equal(t, project.WebhookSecret, kept.WebhookSecret)
	})
	t.Run("references reach what was applied before", func(t *testing.T) {
		report, err := n.apply(t, "kind: ExperienceFlow\nmetadata: {id: cf-night, name: Night}\nspec: {projectId: IID-acme-9b42e17c, number: "+
			"'15550102', agentName: acme-support}", console)
		require.NoError(t, err)
		require.Equal(t, apply.Created, report.Results[0].Outcome)
	})
	t.Run("a conflict with what is there is found before anything is applied", func(t *testing.T) {
		before := n.count(t, "")
		_, err := n.apply(t, `
kind: Trunk
metadata: {name: fresh}
spec: {provider: local}
---
kind: ExperienceFlow
metadata: {id: cf-thief, name: Thief}
spec: {projectId: acme-bot, number: "+15550100"}
---
kind: Tenant
metadata: {id: acme, name: Acme}
spec: {orgId: another-org}
`, console)
		require.Equal(t, []string{
			"manifests[1] (ws.yaml:6) the number +15550100 belongs to flow cf-acme-support",
			"manifests[2] (ws.yaml:10) spec.orgId of tenant acme is acme-org and cannot change",
		}, refusals(t, err))
		require.Equal(t, before, n.count(t, ""))
	})
	t.Run("a new secret replaces the old one", func(t *testing.T) {
		changed := strings.Replace(string(company), "development-only-client-secret", "another-development-only-client-secret", 1)
		changed = strings.Replace(changed, "name: Acme Corporation", "name: Acme Incorporated", 1)
		report, err := n.apply(t, changed, operator)
		require.NoError(t, err)
		for _, r := range report.Results {
			want := apply.Unchanged
			if r.Kind == "Client" {
				want = apply.Changed
			}
			require.Equal(t, want, r.Outcome, r.Kind)
		}
	})
}

// Between the two passes somebody else may take what the first pass saw free.
func TestARefusalWhileApplyingTellsHowFarItCame(t *testing.T) {
	n := start(t)
	_, err := n.apply(t, string(company), operator)
	require.NoError(t, err)

	set := request(t, `
kind: Project
metadata: {id: late-bot, name: Late, tenant: acme}
spec: {slug: late}
---
kind: Client
metadata: {id: crm, name: CRM, tenant: acme}
spec: {alg: HS256}
---
kind: Trunk
metadata: {name: spare, tenant: acme}
spec: {provider: local}
---
kind: Tenant
metadata: {id: acme, name: Acme Incorporated}
spec: {orgId: acme-org}
`)
	racing := apply.New(n.store, &racingVault{Vault: n.vault, meanwhile: func() {
		take := access.DefineProject{ID: "early-bot", Name: "Early", Slug: "late", WebhookSecret: "sealed", SecretFingerprint: "f"}
		_, err := eventstore.Execute(t.Context(), n.store, access.Tenants, access.TenantStream("acme"), eventstore.Command{Tenant: "acme",
			Actor: "test"},
			func(s access.TenantState) ([]event.Payload, error) { return take.Decide(s) })
		require.NoError(t, err)
	}})
	_, err = racing.Do(t.Context(), set, operator)
	require.True(t, fault.Is(err, fault.Conflict), "%v", err)
	for _, want := range []string{
		"Project late-bot (ws.yaml:2): the slug late already belongs to project early-bot",
		"applied before it: Tenant acme (ws.yaml:14);",
		"not applied: Project late-bot (ws.yaml:2), Client crm (ws.yaml:6), Trunk spare (ws.yaml:10);",
	} {
		require.Contains(t, err.Error(), want)
	}
	_, ok, err := accessmodels.NewAccess(n.db.Queries).Client(t.Context(), "acme", "crm")
	require.NoError(t, err)
	require.False(t, ok)
}

// What is made for a thing is told once, with the report, and of a set that came to a stop there is none.
func TestARefusalWhileApplyingNamesWhatHasASecretThatNobodyKnows(t *testing.T) {
	n := inMemory(t)
	_, err := n.apply(t, string(company), operator)
	require.NoError(t, err)
	racing := apply.New(n.store, &racingVault{Vault: n.vault, meanwhile: func() {
		take := access.DefineProject{ID: "early-bot", Name: "Early", Slug: "late", WebhookSecret: "sealed", SecretFingerprint: "f"}
		require.NoError(t, eventstore.Do(t.Context(), n.store, access.Tenants, access.TenantStream("acme"),
			eventstore.Command{Tenant: "acme", Actor: "test"}, take.Decide))
	}})
	_, err = racing.Do(t.Context(), request(t, `
kind: Project
metadata: {id: first-bot, name: First, tenant: acme}
spec: {}
---
kind: Project
metadata: {id: given-bot, name: Given, tenant: acme}
spec: {webhookSecret: a-secret-of-our-own}
---
kind: Project
metadata: {id: late-bot, name: Late, tenant: acme}
spec: {slug: late}
---
kind: Client
metadata: {id: crm, name: CRM, tenant: acme}
spec: {alg: HS256}
`), operator)
	require.True(t, fault.Is(err, fault.Conflict), "%v", err)
	require.ErrorContains(t, err, "applied before it: Project first-bot (ws.yaml:2), Project given-bot (ws.yaml:6);")
	require.ErrorContains(t, err, "so give one of your own to: Project first-bot (ws.yaml:2)")
	require.NotContains(t, err.Error(), "one of your own to: Project first-bot (ws.yaml:2), ")
}

// racingVault lets something happen while the set is being checked: at its client,
// after its project was found to be right.
type racingVault struct {
	apply.Vault
	meanwhile func()
}

func (v *racingVault) SealClientSecret(tenantID, clientID string, secret []byte) (string, string, error) {
	v.meanwhile()
	return v.Vault.SealClientSecret(tenantID, clientID, secret)
}

// The time of what is applied is the one that all nodes share, not the machine's.
func TestWhatIsAppliedTellsTheSharedTime(t *testing.T) {
	n := inMemory(t)
	shared := time.Date(2030, 1, 2, 3, 4, 5, 0, time.UTC)
	cfg := n.store.Config
	cfg.Now = func() time.Time { return shared }
	store := eventstore.New(cfg)
	defer store.Close()
	n.applier = apply.New(store, n.vault)
	_, err := n.apply(t, string(company), operator)
	require.NoError(t, err)
	require.Equal(t, 2, n.count(t, `"createdAt":"2030-01-02T03:04:05Z"`), "the scope and the agent")
}

// Given a request with an Idempotency-Key, when it is repeated, then each manifest has what the first try came to, and nothing is done
// again, also where somebody has changed it since; what the first try had not come to is done then. Another set under the key is refused.
func TestARepeatedApplyHasItsFirstOutcomes(t *testing.T) {
	n, by := inMemory(t), operator
	by.Request = eventstore.Command{RequestID: "r-1", RequestHash: "h-1"}
	const tenant = "kind: Tenant\nmetadata: {id: acme, name: Acme}\nspec: {orgId: o}\n---\n"
	shop := func(name string) string {
		return tenant + "kind: Project\nmetadata: {id: shop, name: " + name + ", tenant: acme}\nspec: {slug: shop}\n"
	}
	first, err := n.apply(t, shop("Shop"), by)
	require.NoError(t, err)
	require.False(t, first.Replayed)
	require.Equal(t, map[string]apply.Outcome{"Tenant Acme": apply.Created, "Project Shop": apply.Created}, outcomes(first))
	require.Len(t, first.Results[1].Generated, 1)

	again, err := n.apply(t, shop("Shop"), by)
	require.NoError(t, err)
	require.True(t, again.Replayed)
	require.Empty(t, again.Results[1].Generated, "a secret is told once")
	for i := range first.Results {
		first.Results[i].Generated = nil
	}
	require.Equal(t, first.Results, again.Results)

	changed, err := n.apply(t, shop("Store"), operator)
	require.NoError(t, err)
	require.Equal(t, apply.Changed, changed.Results[1].Outcome)
	again, err = n.apply(t, shop("Shop"), by)
	require.NoError(t, err)
	require.Equal(t, first.Results, again.Results)
	now, err := n.apply(t, shop("Store"), operator)
	require.NoError(t, err)
	require.Equal(t, apply.Unchanged, now.Results[1].Outcome, "the repeat has not brought the old name back")

	by.Request.RequestHash = "h-2"
	_, err = n.apply(t, shop("Another"), by)
	require.True(t, fault.Is(err, fault.Conflict), "%v", err)
	by.Request = eventstore.Command{RequestID: "r-2", RequestHash: "h-2"}
	_, err = n.apply(t, shop("Kiosk"), by)
	require.NoError(t, err)
	changing, err := n.apply(t, shop("Kiosk"), by)
	require.NoError(t, err)
	require.Equal(t, map[string]apply.Outcome{"Tenant Acme": apply.Unchanged, "Project Kiosk": apply.Changed}, outcomes(changing))
	require.True(t, changing.Replayed)
}
