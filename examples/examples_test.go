package examples_test

import (
	"encoding/json"
	"maps"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/parley-platform/parley/domain/access"
	"github.com/parley-platform/parley/domain/dsl"
	"github.com/parley-platform/parley/domain/dsl/project"
	"github.com/parley-platform/parley/examples"
	"github.com/parley-platform/parley/handlers/apply"
	"github.com/parley-platform/parley/handlers/apply/manifest"
)

func TestTheWorkspaceIsWhatItIsSaidToBe(t *testing.T) {
	manifests, err := manifest.Parse(examples.WorkspaceFile, examples.Workspace, apply.Kinds())
	require.NoError(t, err)
	var flows []apply.FlowSpec
	connected := map[string]apply.ChannelConnectionSpec{}
	ids, names, second := map[string]string{}, map[string][]string{}, map[string]string{}
	for _, m := range manifests {
		var meta apply.Metadata
		require.NoError(t, json.Unmarshal(m.Metadata, &meta))
		if m.Kind != "Tenant" {
			require.Contains(t, []string{examples.Account, examples.Account2}, meta.Tenant,
				"every thing names its tenant, so that any operator can apply it")
		}
		if meta.Tenant == examples.Account2 || meta.ID == examples.Account2 {
			second[m.Kind] = meta.ID
			continue
		}
		ids[meta.ID] = m.Kind
		names[m.Kind] = append(names[m.Kind], meta.Name)
		switch m.Kind {
		case "Tenant":
			require.Equal(t, examples.Account, meta.ID)
			require.Equal(t, examples.Org, spec[apply.TenantSpec](t, m).OrgID)
		case "Project":
			if meta.ID == examples.Project {
				require.Equal(t, examples.WebhookSecret, spec[apply.ProjectSpec](t, m).WebhookSecret)
			}
		case "Client":
			require.Equal(t, examples.Client, meta.ID)
			require.Equal(t, examples.ClientSecret, spec[apply.ClientSpec](t, m).Secret)
			require.Len(t, spec[apply.ClientSpec](t, m).Scopes, len(access.ClientScopes()))
		case "Scope":
			require.Equal(t, examples.Scope, meta.ID)
			require.Len(t, spec[apply.ScopeSpec](t, m).Permissions, len(access.KeyPermissions()))
		case "ChannelConnection":
			connected[meta.ID] = spec[apply.ChannelConnectionSpec](t, m)
		case "ExperienceFlow":
			flows = append(flows, spec[apply.FlowSpec](t, m))
		}
	}
	require.Equal(t, map[string]string{"Tenant": examples.Account2, "Project": examples.Project2, "Client": examples.Client2}, second)
	require.Equal(t, "Project", ids[examples.Project])
	require.Equal(t, "Workflow", ids[examples.Workflow])
	require.Equal(t, "Tool", ids[examples.Tool])
	require.Contains(t, names["Agent"], examples.Agent)
	require.Contains(t, names["TestSuite"], examples.TestSuite)
	require.Equal(t, []string{"ChannelConnection", "SDKChannel"}, []string{ids[examples.Connection], ids[examples.SDKChannel]})
	require.Equal(t, examples.SigningSecret, connected[examples.Connection].Credentials["signingSecret"])
	require.Equal(t, examples.SMSNumber, connected[examples.SMSConnection].ExternalIdentifier)
	require.Equal(t, map[string]string{"accountSid": examples.SMSAccount, "authToken": examples.SMSAuthToken},
		connected[examples.SMSConnection].Credentials)
	require.Equal(t, "HumanAgent", ids[examples.HumanAgent])
	require.Equal(t, "HumanAgent", ids[examples.HumanAgent2])
	require.Equal(t, "Queue", ids[examples.Queue])
	require.Len(t, flows, 3)
	require.Equal(t, examples.OurNumber, flows[0].Number)
	require.NotEmpty(t, flows[0].AgentName)
	require.Equal(t, examples.SilentCaller, flows[1].Number)
	require.Empty(t, flows[1].AgentName)
}

// All agents compile, without a warning, and all that they name is there.
func TestTheAgentsAreWhole(t *testing.T) {
	manifests, err := manifest.Parse(examples.WorkspaceFile, examples.Workspace, apply.Kinds())
	require.NoError(t, err)
	sources, queues := map[string]string{}, map[string]bool{}
	for _, m := range manifests {
		var meta apply.Metadata
		require.NoError(t, json.Unmarshal(m.Metadata, &meta))
		switch m.Kind {
		case "Agent":
			sources[meta.Name] = spec[apply.AgentSpec](t, m).DSLContent
		case "Queue":
			queues[meta.ID], queues[meta.Name] = true, true
		}
	}
	reached, err := project.Reach(slices.Sorted(maps.Keys(sources)), func(name string) (string, bool, error) {
		return sources[name], sources[name] != "", nil
	})
	require.NoError(t, err)
	require.Empty(t, reached.Errors)
	require.Empty(t, reached.Missing)
	var wanted, given []dsl.Secret
	for _, p := range reached.Programs {
		require.Empty(t, p.Warnings, p.Agent)
		named := p.References()
		for _, queue := range named.Queues {
			require.True(t, queues[queue], "%s of %s", queue, p.Agent)
		}
		for _, server := range named.Servers {
			require.Equal(t, examples.WeatherServer, server)
		}
		wanted = append(wanted, named.Secrets...)
	}
	for _, s := range examples.ToolSecrets {
		given = append(given, dsl.Secret{Tool: s.Tool, Name: s.Key})
	}
	require.ElementsMatch(t, wanted, given)
}

func spec[S any](t *testing.T, m manifest.Manifest) (s S) {
	t.Helper()
	require.NoError(t, json.Unmarshal(m.Spec, &s))
	return s
}
