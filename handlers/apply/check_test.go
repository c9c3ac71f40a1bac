package apply_test

import (
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/parley-platform/parley/adapters/vault"
	"github.com/parley-platform/parley/domain/fault"
	"github.com/parley-platform/parley/eventstore"
	"github.com/parley-platform/parley/eventstore/memory"
	"github.com/parley-platform/parley/examples"
	"github.com/parley-platform/parley/handlers/apply"
	"github.com/parley-platform/parley/handlers/apply/manifest"
)

// onNothing is an applier on an empty log to which nothing may be appended.
func onNothing(t *testing.T) *apply.Applier {
	t.Helper()
	log, store := newLog(t)
	log.Fail(nothingIsAppended(t))
	return apply.New(store, newVault(t))
}

func newLog(t *testing.T) (*memory.Log, *eventstore.Store) {
	t.Helper()
	log := memory.New()
	store := log.Open(eventstore.Config{Node: "n"})
	t.Cleanup(store.Close)
	return log, store
}

func newVault(t *testing.T) *vault.Vault {
	t.Helper()
	v, err := vault.Create(filepath.Join(t.TempDir(), "keyset.json"))
	require.NoError(t, err)
	return v
}

// nothingIsAppended is for what is refused, or only planned.
func nothingIsAppended(t *testing.T) memory.Faults {
	return memory.Faults{Append: func(commit []*eventstore.Record) error {
		t.Errorf("%s was appended", commit[0].Type)
		return errors.New("nothing may be appended")
	}}
}

var operator = apply.Caller{Actor: "user:test@" + apply.OperatorClient, TenantID: "operator", Operator: true, CorrelationID: "tr-1"}

// request reads manifests that are well formed.
func request(t *testing.T, yaml string) apply.Request {
	t.Helper()
	manifests, err := manifest.Parse("ws.yaml", []byte(yaml), apply.Kinds())
	require.NoError(t, err)
	return apply.Request{Manifests: manifests}
}

// refusals are the details of a refusal as "field problem".
func refusals(t *testing.T, err error) []string {
	t.Helper()
	var f *fault.Error
	require.True(t, errors.As(err, &f), "%v", err)
	require.Equal(t, fault.Validation, f.Code)
	var out []string
	for _, d := range f.Details {
		out = append(out, d.Field+" "+d.Problem)
	}
	return out
}

// base is what the manifests of the tables refer to; they begin at line 13.
const base = `kind: Tenant
metadata: {id: acme, name: Acme}
spec: {orgId: acme-org}
---
kind: Project
metadata: {id: bot, name: Bot, tenant: acme}
spec: {aliases: [IID-1], slug: support}
---
kind: Agent
metadata: {id: a-1, name: greeter, tenant: acme}
spec: {projectId: bot, dslContent: "ON_START: {SAY: hello}"}
---
`

func TestEveryFaultNamesFileLineAndField(t *testing.T) {
	const secret = "0123456789012345678901234567890X"
	for name, c := range map[string]struct {
		manifest string
		want     []string // without "manifests[3] (ws.yaml:"
	}{
		"kind missing":  {"metadata: {id: x, name: X}", []string{"13) kind is required: one of " + strings.Join(apply.Kinds(), ", ")}},
		"kind unknown":  {"kind: Experienceflow", []string{"13) kind is unknown: did you mean ExperienceFlow?"}},
		"kind twisted":  {"kind: Tolo", []string{"13) kind is unknown: did you mean Tool?"}},
		"kind far off":  {"kind: Nope", []string{"13) kind is unknown: known are " + strings.Join(apply.Kinds(), ", ")}},
		"kind far away": {"kind: Deployment", []string{"13) kind is unknown: known are " + strings.Join(apply.Kinds(), ", ")}},

		"tenant without all": {"kind: Tenant", []string{"13) metadata is required", "13) spec is required",
			"13) metadata.id must be 1 to 128 letters, digits, _ or -", "13) spec.orgId must be 1 to 128 letters, digits, _ or -",
			"13) metadata.name is required"}},
		"tenant id": {"kind: Tenant\nmetadata:\n  name: T\n  id: a b\nspec: {orgId: o}",
			[]string{"16) metadata.id must be 1 to 128 letters, digits, _ or -"}},
		"tenant of a tenant": {"kind: Tenant\nmetadata: {id: t, name: T, tenant: acme}\nspec: {orgId: o}",
			[]string{"14) metadata.tenant must be left out, or the same as metadata.id"}},
		"tenant twice": {"kind: Tenant\nmetadata: {id: acme, name: T}\nspec: {orgId: acme-org}",
			[]string{"14) metadata.id is defined twice in this set, first by manifests[0] (ws.yaml:1)"}},
		"tenant without org": {"kind: Tenant\nmetadata: {id: t, name: T}\nspec: {orgid: o}", []string{"15) spec.orgId is required",
			"15) spec.orgid is not known: did you mean orgId?"}},
		"tenant name is wrong": {"kind: Tenant\nmetadata:\n  id: t\n  name: 5\nspec: {orgId: o}",
			[]string{"16) metadata.name must be a string: put it in quotes"}},

		"project of nobody": {"kind: Project\nmetadata: {id: p, name: P, tenant: other}",
			[]string{`14) metadata.tenant "other" is not defined: put its Tenant manifest into this set, or apply it before`}},
		"project without tenant": {"kind: Project\nmetadata: {id: p, name: P}",
			[]string{`14) metadata.tenant "operator" is not defined: put its Tenant manifest into this set, or apply it before`}},
		"project twice": {"kind: Project\nmetadata: {id: bot, name: Bot, tenant: acme}",
			[]string{"14) metadata.id is defined twice in this set, first by manifests[1] (ws.yaml:5)"}},
		"project takes an alias": {"kind: Project\nmetadata: {id: p, name: P, tenant: acme}\nspec:\n  aliases:\n    - fine\n    - IID-1",
			[]string{"13) the id IID-1 already means project bot"}},
		"project takes a slug": {"kind: Project\nmetadata: {id: p, name: P, tenant: acme}\nspec: {slug: support}",
			[]string{"13) the slug support already belongs to project bot"}},
		"project alias": {"kind: Project\nmetadata: {id: p, name: P, tenant: acme}\nspec:\n  aliases:\n    - fine\n    - not fine",
			[]string{"18) spec.aliases[1] must be 1 to 128 letters, digits, _ or -"}},
		"project slug, language": {"kind: Project\nmetadata: {id: p, name: P, tenant: acme}\nspec:\n  slug: Not\n  defaults:\n    language: " +
			"English!", []string{"16) spec.slug must match ^[a-z0-9][a-z0-9-]*$",
			"18) spec.defaults.language must be a language tag such as en or de-AT"}},
		"project aliases no list": {"kind: Project\nmetadata: {id: p, name: P, tenant: acme}\nspec:\n  aliases: one",
			[]string{"16) spec.aliases must be a list"}},
		"project secret is empty": {"kind: Project\nmetadata: {id: p, name: P, tenant: acme}\nspec:\n  webhookSecret:",
			[]string{"16) spec.webhookSecret is empty: it must be a string, or be left out"}},
		"project default unknown": {"kind: Project\nmetadata: {id: p, name: P, tenant: acme}\nspec:\n  defaults: {lang: en}",
			[]string{"16) spec.defaults.lang is not known: known are language"}},
		"project keeps nothing": {"kind: Project\nmetadata: {id: p, name: P, tenant: acme}\nspec:\n  retention:\n    calls: 0\n    " +
			"messages: 36501", []string{"17) spec.retention.calls must be at least 1", "18) spec.retention.messages must be at most 36500"}},
		"project secret too large": {"kind: Project\nmetadata: {id: p, name: P, tenant: acme}\nspec:\n  webhookSecret: " + strings.Repeat("s",
			5000), []string{"16) spec.webhookSecret must be at most 4096 bytes"}},

		"client alg": {"kind: Client\nmetadata: {id: c, name: C, tenant: acme}\nspec: {alg: none}",
			[]string{"15) spec.alg must be one of HS256, ES256, ES384, ES512, EdDSA, RS256, RS384, RS512"}},
		"client secret short": {"kind: Client\nmetadata: {id: c, name: C, tenant: acme}\nspec:\n  alg: HS256\n  secret: hunter2",
			[]string{"17) spec.secret must be at least 32 bytes, has 7: a shorter one can be guessed"}},
		"client scope unknown": {"kind: Client\nmetadata: {id: c, name: C, tenant: acme}\nspec:\n  alg: HS256\n  scopes:\n    - Routing\n    - " +
			"Rooting", []string{"19) spec.scopes[1] must be one of Assist Dialout, the service Export, Custom Reports, Custom Reports > Custom " +
			"Reports, Assist Voicemail, Profile Management > Role Management, Conversation Tests Execution, Campaign Management, Assist " +
			"Analytics, Routing"}},
		"client permission": {"kind: Client\nmetadata: {id: c, name: C, tenant: acme}\nspec:\n  alg: HS256\n  permissions: [agent:fly]",
			[]string{`17) spec.permissions[0] is unknown: "agent:fly"`}},
		"client without keys": {"kind: Client\nmetadata: {id: c, name: C, tenant: acme}\nspec: {alg: RS256}",
			[]string{"15) spec.jwks or spec.jwksUrl is required with spec.alg RS256"}},
		"client with both": {"kind: Client\nmetadata: {id: c, name: C, tenant: acme}\nspec: {alg: RS256, secret: " + secret +
			", jwksUrl: 'https://idp.example.com/keys'}", []string{"15) spec.secret does not go with spec.alg RS256"}},
		"client private key": {"kind: Client\nmetadata: {id: c, name: C, tenant: acme}\nspec:\n  alg: EdDSA\n  jwks: {keys: [{kty: OKP, crv: " +
			"Ed25519, d: " + secret + "}]}", []string{"17) spec.jwks keys[0] holds private key material; publish the public part only"}},
		"client is operator": {"kind: Client\nmetadata: {id: parley-operator, name: C, tenant: acme}\nspec: {alg: HS256}",
			[]string{"14) metadata.id is the name of the built-in issuer of operators' tokens"}},
		"client secret a list": {"kind: Client\nmetadata: {id: c, name: C, tenant: acme}\nspec: {alg: HS256, secret: [" + secret + "]}",
			[]string{"15) spec.secret must be a string"}},

		"scope id": {"kind: Scope\nmetadata: {id: main, name: main, tenant: acme}\nspec: {projectId: bot}",
			[]string{"14) metadata.id must be as- and up to 128 letters, digits, _ or - in all"}},
		"scope of no project": {"kind: Scope\nmetadata: {id: as-1, name: main, tenant: acme}\nspec: {projectId: bat}",
			[]string{`15) spec.projectId "bat" is not a project of tenant acme: put its Project manifest into this set, or apply it before`}},
		"scope without one": {"kind: Scope\nmetadata: {id: as-1, name: main, tenant: acme}\nspec: {description: x}",
			[]string{"15) spec.projectId is required"}},
		"scope permission": {"kind: Scope\nmetadata: {id: as-1, name: main, tenant: acme}\nspec:\n  projectId: IID-1\n  permissions:\n    " +
			"APP_VEIW: 'YES'\n    RUN_API: maybe\n    APP_FULL: true", []string{"18) spec.permissions.APP_VEIW is not known: did you mean APP_VIEW?",
			"19) spec.permissions.RUN_API must be one of YES, NO", "20) spec.permissions.APP_FULL must be a string: put it in quotes"}},
		"trunk provider": {"kind: Trunk\nmetadata: {name: t, tenant: acme}\nspec: {provider: pigeon}",
			[]string{"15) spec.provider must be one of local, sip"}},
		"trunk local address": {"kind: Trunk\nmetadata: {name: t, tenant: acme}\nspec:\n  provider: local\n  address: sip.example.com",
			[]string{"17) spec.address does not go with spec.provider local"}},
		"trunk codecs": {"kind: Trunk\nmetadata: {name: t, tenant: acme}\nspec:\n  provider: sip\n  address: sip.example.com\n" +
			"  codecs: [PCMU, PCMU]", []string{"18) spec.codecs must be PCMU and PCMA, each once at most"}},
		"trunk transfers": {"kind: Trunk\nmetadata: {name: t, tenant: acme}\nspec:\n  provider: sip\n  address: sip.example.com\n" +
			"  transfers: push", []string{"18) spec.transfers must be one of bridge, refer, attended"}},
		"trunk settings that do not go together": {"kind: Trunk\nmetadata: {name: t, tenant: acme}\nspec:\n  provider: sip\n" +
			"  address: sip.example.com\n  srtp: require\n  numberFormat: national\n  inbound:\n    sources: [here]\n  tls: {ca: x}", []string{
			"15) spec.country is required with spec.numberFormat national", "18) spec.srtp needs spec.transport tls: its keys are in the requests",
			"21) spec.inbound.sources must be addresses or blocks of them, such as 192.0.2.0/24", "22) spec.tls.ca goes with spec.transport tls"}},
		"trunk password alone": {"kind: Trunk\nmetadata: {name: t, tenant: acme}\nspec:\n  provider: sip\n  address: sip.example.com\n  " +
			"password: " + secret, []string{"15) spec.username is required with spec.password"}},
		"trunk with an id": {"kind: Trunk\nmetadata: {name: t, id: u, tenant: acme}\nspec: {provider: local}",
			[]string{"14) metadata.id must be left out, or the same as metadata.name: a Trunk is known by its name"}},
		"trunk without name": {"kind: Trunk\nmetadata: {tenant: acme}\nspec: {provider: local}", []string{"14) metadata.name is required"}},

		"agent source": {"kind: Agent\nmetadata: {id: a, name: b, tenant: acme}\nspec:\n  projectId: bot\n  dslContent: '{'",
			[]string{"17) spec.dslContent is not YAML: line 1: did not find expected node content"}},
		"agent name": {"kind: Agent\nmetadata: {id: a, name: b c, tenant: acme}\nspec: {projectId: bot, dslContent: 'x: y'}",
			[]string{"14) metadata.name must be 1 to 64 letters, digits, _ . or -, and begin with a letter or digit"}},
		"agent name taken": {"kind: Agent\nmetadata: {id: a, name: greeter, tenant: acme}\nspec: {projectId: IID-1, dslContent: 'x: y'}",
			[]string{`13) the agent name "greeter" belongs to agent a-1`}},
		"agent twice": {"kind: Agent\nmetadata: {id: a-1, name: other, tenant: acme}\nspec: {projectId: IID-1, dslContent: 'x: y'}",
			[]string{"14) metadata.id is defined twice in this set, first by manifests[2] (ws.yaml:9)"}},

		"flow number": {"kind: ExperienceFlow\nmetadata: {id: cf-1, name: F, tenant: acme}\nspec:\n  projectId: bot\n  number: 15550100",
			[]string{"17) spec.number must be a string: put it in quotes"}},
		"flow agent": {"kind: ExperienceFlow\nmetadata: {id: cf-1, name: F, tenant: acme}\nspec:\n  projectId: bot\n  number: '1'\n  " +
			"agentName: greter", []string{
			`18) spec.agentName "greter" is not an agent of project bot: put its Agent manifest into this set, or apply it before`}},
		"flow id and number": {"kind: ExperienceFlow\nmetadata: {id: f-1, name: F, tenant: acme}\nspec: {projectId: bot, number: a b}",
			[]string{"14) metadata.id must be cf- and up to 128 letters, digits, _ or - in all",
				"15) spec.number must be 1 to 64 letters, digits or + * # _ . ~ ! - (the user part of the caller ID)"}},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := onNothing(t).Do(t.Context(), request(t, base+c.manifest), operator)
			var want []string
			for _, w := range c.want {
				want = append(want, "manifests[3] (ws.yaml:"+w)
			}
			require.Equal(t, want, refusals(t, err))
			require.NotContains(t, err.Error(), secret)
			require.NotContains(t, err.Error(), "hunter2")
		})
	}
}

// Many manifests may be wrong at once; what refers to a wrong one is not wrong for
// that reason.
func TestAllFaultsAreToldAndNoConsequences(t *testing.T) {
	_, err := onNothing(t).Do(t.Context(), request(t, `
- kind: ExperienceFlow
  metadata: {id: cf-1, name: F, tenant: acme}
  spec: {projectId: IID-1, number: "1", agentName: greeter, langage: en}
- kind: Tenant
  metadata: {id: acme, name: Acme}
  spec: {orgId: not good}
- kind: Project
  metadata: {id: bot, name: Bot, tenant: acme}
  spec: {aliases: [IID-1], sluug: x}
- kind: Agent
  metadata: {id: a, name: greeter, tenant: acme}
  spec: {projectId: bot, dslContent: ""}
- kind: Trunk
  metadata: {name: one, tenant: acme}
  spec: {provider: local, default: true}
- kind: Trunk
  metadata: {name: two, tenant: acme}
  spec: {provider: local, default: true}
`), operator)
	require.Equal(t, []string{
		"manifests[0] (ws.yaml:4) spec.langage is not known: did you mean language?",
		"manifests[1] (ws.yaml:7) spec.orgId must be 1 to 128 letters, digits, _ or -",
		"manifests[2] (ws.yaml:10) spec.sluug is not known: did you mean slug?",
		"manifests[3] (ws.yaml:13) spec.dslContent must not be empty",
		"manifests[5] (ws.yaml:19) spec.default is claimed by two trunks of this set, first by manifests[4] (ws.yaml:14)",
	}, refusals(t, err))
}

// Who sends a manifest again, or compares two runs, has the same answer.
func TestFaultsOfAManifestAreToldInOneOrder(t *testing.T) {
	want := []string{"metadata.name", "metadata.extra", "metadata.nama", "metadata.tenant", "spec.projectId", "spec.kind", "spec.projectIds",
		"spec.dslContent", "spec.contacts[2].phoneNumber", "spec.contacts[10].phoneNumber"}
	contacts := make([]string, 11)
	for n := range contacts {
		contacts[n] = fmt.Sprintf(`{phoneNumber: "+49151123456%02d"}`, n)
	}
	contacts[2], contacts[10] = "{}", "{}"
	for range 20 { // the order of a map would differ in most
		_, err := onNothing(t).Do(t.Context(), request(t, fmt.Sprintf(`
- kind: Agent
  metadata: {id: a, nama: greeter, tenant: acme, extra: x}
  spec: {projectIds: bot, kind: 7, dslContent: 1}
- kind: ContactList
  metadata: {id: c, name: C, tenant: acme}
  spec: {contacts: [%s]}
`, strings.Join(contacts, ", "))), operator)
		var fields []string
		for _, r := range refusals(t, err) {
			field, _, _ := strings.Cut(strings.SplitN(r, ") ", 2)[1], " ")
			if !slices.Contains(fields, field) {
				fields = append(fields, field)
			}
		}
		require.Equal(t, want, fields)
	}
}

// Over the API only the line of the manifest is known.
func TestWithoutLinesTheManifestsOwnIsNamed(t *testing.T) {
	r := request(t, base+"kind: Trunk\nmetadata: {name: t, tenant: acme}\nspec:\n  provider: x")
	r.Manifests[3].Lines = nil
	_, err := onNothing(t).Do(t.Context(), r, operator)
	require.Equal(t, []string{"manifests[3] (ws.yaml:13) spec.provider must be one of local, sip"}, refusals(t, err))
	r.Manifests[3].File, r.Manifests[3].Line = "", 0
	_, err = onNothing(t).Do(t.Context(), r, operator)
	require.Equal(t, []string{"manifests[3] spec.provider must be one of local, sip"}, refusals(t, err))
}

func TestWhoMayApplyWhat(t *testing.T) {
	client := apply.Caller{Actor: "user:ada@crm", TenantID: "acme"}
	for name, c := range map[string]struct {
		manifest string
		code     fault.Code
	}{
		"another tenant":            {"kind: Tenant\nmetadata: {id: globex, name: G}\nspec: {orgId: o}", fault.NotFound},
		"a thing of another tenant": {"kind: Trunk\nmetadata: {name: t, tenant: globex}\nspec: {provider: local}", fault.NotFound},
		"another tenant, wrong too": {"kind: Trunk\nmetadata: {name: t, tenant: globex}\nspec: {provider: x}", fault.NotFound},
		"a new tenant":              {"kind: Tenant\nmetadata: {id: acme, name: A}\nspec: {orgId: o}", fault.Validation},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := onNothing(t).Do(t.Context(), request(t, c.manifest), client)
			require.Equal(t, c.code, fault.CodeOf(err), "%v", err)
		})
	}
	_, err := onNothing(t).Do(t.Context(), apply.Request{}, operator)
	require.Equal(t, []string{"manifests must have at least one manifest"}, refusals(t, err))
	_, err = onNothing(t).Do(t.Context(), apply.Request{Manifests: make([]manifest.Manifest, apply.MaxManifests+1)}, operator)
	require.True(t, fault.Is(err, fault.Validation))
}

// The order of manifests in their file does not matter.
func TestADryRunShowsWhatWouldBeWithoutSecrets(t *testing.T) {
	r := request(t, string(examples.Workspace))
	for i := range len(r.Manifests) / 2 {
		j := len(r.Manifests) - 1 - i
		r.Manifests[i], r.Manifests[j] = r.Manifests[j], r.Manifests[i]
	}
	r.DryRun = true
	report, err := onNothing(t).Do(t.Context(), r, operator)
	require.NoError(t, err)
	require.True(t, report.DryRun)
	require.Len(t, report.Results, len(r.Manifests))
	types := map[string][]string{}
	for i, result := range report.Results {
		require.Equal(t, r.Manifests[i].Kind, result.Kind, "results come in the order of the request")
		require.Equal(t, apply.Created, result.Outcome)
		require.Contains(t, []string{examples.Account, examples.Account2}, result.Tenant)
		require.Empty(t, result.Generated)
		for _, e := range result.Events {
			types[result.Kind] = append(types[result.Kind], e.Type)
			require.NotContains(t, string(e.Data), "development-only")
			require.NotContains(t, string(e.Data), "sealed:")
			require.NotContains(t, string(e.Data), "ingerprint")
		}
	}
	require.Equal(t, []string{"parley.tenants.scope-registered.v1", "parley.scopes.defined.v1"}, types["Scope"])
	require.Equal(t, []string{"parley.agents.defined.v1", "parley.agents.dsl-declared.v1"}, types["Agent"][:2])
	project := slices.IndexFunc(report.Results, func(r apply.Result) bool { return r.Kind == "Project" })
	require.Contains(t, string(report.Results[project].Events[0].Data), `"webhookSecret":"(sealed)"`)
}
