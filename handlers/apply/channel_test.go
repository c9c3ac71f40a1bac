package apply_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"golang.org/x/sync/errgroup"

	"github.com/parley-platform/parley/domain/connections"
	"github.com/parley-platform/parley/eventstore"
	"github.com/parley-platform/parley/handlers/apply"
)

func connectionManifest(id, spec string) string {
	return "---\nkind: ChannelConnection\nmetadata: {id: " + id + ", name: Chat, tenant: globex}\nspec: {projectId: g-bot, " + spec + "}\n"
}

const slackApp = "channelType: slack, externalIdentifier: 'A1:T1', credentials: {signingSecret: hush, botToken: hush}"

// Given a manifest of a connection, then it is there, once for the whole server, and applying it
// again changes nothing.
func TestAConnectionIsApplied(t *testing.T) {
	n := inMemory(t)
	state := func(id string) connections.State {
		l, err := eventstore.Read(t.Context(), n.store, connections.Connections, connections.Stream("globex", id))
		require.NoError(t, err)
		return l.State
	}
	report, err := n.apply(t, searchTenant+connectionManifest("cn-1", slackApp), operator)
	require.NoError(t, err)
	require.Equal(t, apply.Created, outcomes(report)["ChannelConnection Chat"])
	made := state("cn-1")
	require.Equal(t, []any{"slack", "A1:T1", connections.Settings{Name: "Chat", Active: true}, []string{"botToken", "signingSecret"}},
		[]any{made.Kind, made.External, made.Settings, made.CredentialNames()})
	require.Zero(t, n.count(t, "hush"))
	report, err = n.apply(t, searchTenant+connectionManifest("cn-1", slackApp), operator)
	require.NoError(t, err)
	require.Equal(t, apply.Unchanged, outcomes(report)["ChannelConnection Chat"])
	report, err = n.apply(t, searchTenant+connectionManifest("cn-1", slackApp+", isActive: false"), operator)
	require.NoError(t, err)
	require.Equal(t, apply.Changed, outcomes(report)["ChannelConnection Chat"])
	require.False(t, state("cn-1").Settings.Active)

	_, err = n.apply(t, searchTenant+connectionManifest("cn-2", slackApp), operator)
	require.Contains(t, refusals(t, err)[0], "spec.externalIdentifier a connection of this channelType has this", "no code stands in it")
	twice := strings.ReplaceAll(slackApp, "A1:T1", "A2:T2")
	_, err = n.apply(t, searchTenant+connectionManifest("cn-2", twice)+connectionManifest("cn-3", twice), operator)
	require.Contains(t, refusals(t, err)[0], "spec.externalIdentifier")
	_, err = n.prune(t, searchTenant, false)
	require.NoError(t, err)
	require.NotEmpty(t, state("cn-1").ID, "prune leaves connections alone")
}

// Given one request that is made twice at the same moment, then both are told what came of it, one of them as what the other did.
func TestTwoTriesOfOneApply(t *testing.T) {
	n := inMemory(t)
	_, err := n.apply(t, searchTenant, operator)
	require.NoError(t, err)
	for i := range 20 {
		by, id := operator, fmt.Sprint("cn-", i)
		by.Request = eventstore.Command{RequestID: "r-" + id, RequestHash: "h-1"}
		var tries errgroup.Group
		reports := make([]apply.Report, 4)
		for at := range reports {
			tries.Go(func() (err error) {
				reports[at], err = n.apply(t, searchTenant+connectionManifest(id, strings.ReplaceAll(slackApp, "A1", fmt.Sprint("A", i))), by)
				return err
			})
		}
		require.NoError(t, tries.Wait())
		did := 0
		for _, r := range reports {
			require.Equal(t, apply.Created, outcomes(r)["ChannelConnection Chat"])
			if !r.Replayed {
				did++
			}
		}
		require.Equal(t, 1, did)
	}
}

func TestConnectionsThatAreNotApplied(t *testing.T) {
	n := inMemory(t)
	for field, spec := range map[string]string{
		"spec.channelType":             "channelType: fax, externalIdentifier: x",
		"spec.externalIdentifier":      "channelType: slack, externalIdentifier: A1, credentials: {signingSecret: s, botToken: t}",
		"spec.credentials.botToken":    "channelType: slack, externalIdentifier: 'A1:T1', credentials: {signingSecret: s}",
		"spec.credentials.accessToken": slackApp[:len(slackApp)-1] + ", accessToken: x}",
		"spec.agentName":               slackApp + ", agentName: nobody",
		"spec.deploymentId":            slackApp + ", deploymentId: d-none",
		"spec.environment":             slackApp + ", environment: moon",
		"spec.secret":                  slackApp + ", secret: x",
	} {
		_, err := n.apply(t, searchTenant+connectionManifest("cn-1", spec), operator)
		require.Contains(t, strings.Join(refusals(t, err), "\n"), field, spec)
	}
	_, err := n.apply(t, searchTenant+connectionManifest("x", slackApp), operator)
	require.Contains(t, refusals(t, err)[0], "metadata.id")
}

const widgetKey = "---\nkind: Scope\nmetadata: {id: as-1, name: S, tenant: globex}\nspec: {projectId: g-bot}\n" +
	"---\nkind: PublicKey\nmetadata: {id: ak-1, name: Pages, tenant: globex}\nspec: {scopeId: as-1, allowedOrigins: ['https://a.example']}\n"

func widget(spec string) string {
	return "---\nkind: SDKChannel\nmetadata: {id: sdk-1, name: Widget, tenant: globex}\nspec: {projectId: g-bot, channelType: web, " +
		"publicApiKeyId: ak-1" + spec + "}\n"
}

// Given a public key and the channel that it is for, then they are there; a key that the manifest
// does not name is made, and told once.
func TestAnSDKChannelIsAppliedWithItsKey(t *testing.T) {
	n := inMemory(t)
	set := searchTenant + widgetKey + widget(", config: {mode: voice}")
	report, err := n.apply(t, set, operator)
	require.NoError(t, err)
	require.Equal(t, []apply.Outcome{apply.Created, apply.Created}, []apply.Outcome{outcomes(report)["PublicKey Pages"],
		outcomes(report)["SDKChannel Widget"]})
	var told map[string]string
	for _, r := range report.Results {
		if r.Kind == "PublicKey" {
			told = r.Generated
		}
	}
	require.Regexp(t, "^pk_[0-9A-Za-z]{43}$", told["spec.key"])
	require.Zero(t, n.count(t, told["spec.key"]))
	report, err = n.apply(t, set, operator)
	require.NoError(t, err)
	require.Equal(t, []apply.Outcome{apply.Unchanged, apply.Unchanged}, []apply.Outcome{outcomes(report)["PublicKey Pages"],
		outcomes(report)["SDKChannel Widget"]})
	report, err = n.apply(t, strings.Replace(set, "a.example", "b.example", 1)+"", operator)
	require.NoError(t, err)
	require.Equal(t, apply.Changed, outcomes(report)["PublicKey Pages"])
	report, err = n.apply(t, searchTenant+widget(", isActive: false"), operator)
	require.NoError(t, err)
	require.Equal(t, apply.Changed, outcomes(report)["SDKChannel Widget"])

	for field, set := range map[string]string{
		"spec.deploymentId":      widgetKey + widget(", followEnvironment: false"),
		"spec.config.mode":       widgetKey + widget(", config: {mode: fax}"),
		"spec.environment":       widgetKey + widget(", environment: moon"),
		"spec.publicApiKeyId":    strings.Replace(widget(""), "ak-1", "ak-2", 1),
		"spec.scopeId":           strings.ReplaceAll(widgetKey, "scopeId: as-1", "scopeId: as-2"),
		"spec.allowedOrigins[0]": strings.Replace(widgetKey, "https://a.example", "shop", 1),
		"spec.key":               strings.Replace(widgetKey, "scopeId: as-1", "scopeId: as-1, key: pk_x", 1),
		"metadata.id":            strings.Replace(widget(""), "sdk-1", "x", 1),
	} {
		_, err := n.apply(t, searchTenant+set, operator)
		require.Contains(t, strings.Join(refusals(t, err), "\n"), field)
	}
}

// Given two manifests of keys with one text, then the set is refused: a text is that of one key.
func TestTwoPublicKeysHaveNoOneText(t *testing.T) {
	n := inMemory(t)
	named := strings.Replace(widgetKey, "{scopeId: as-1", "{key: pk_"+strings.Repeat("a", 43)+", scopeId: as-1", 1)
	second := strings.Replace(named[strings.Index(named, "---\nkind: PublicKey"):], "ak-1, name: Pages", "ak-2, name: More", 1)
	_, err := n.apply(t, searchTenant+named+second, operator)
	require.Contains(t, strings.Join(refusals(t, err), "\n"), "spec.key is defined twice in this set")
	_, err = n.apply(t, searchTenant+named, operator)
	require.NoError(t, err)
}
