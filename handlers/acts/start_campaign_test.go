package acts_test

import (
	"context"
	"errors"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/parley-platform/parley/domain/campaigns"
	"github.com/parley-platform/parley/domain/fault"
	"github.com/parley-platform/parley/handlers/acts"
	"github.com/parley-platform/parley/handlers/acts/actstest"
	campaignmodels "github.com/parley-platform/parley/projections/campaigns"
)

// lists are how many contacts are on the lists of acme's project shop.
type lists map[string]int

func (l lists) Counts(_ context.Context, tenant, project string, names []string) (map[string]int, error) {
	out := map[string]int{}
	for _, name := range names {
		if n, ok := l[name]; ok && tenant == "acme" && project == "shop" {
			out[name] = n
		}
	}
	return out, nil
}

// says is the source of the agent of every flow.
type says string

func (s says) FlowOf(context.Context, string, string, string) (campaignmodels.CampaignFlow, bool, error) {
	return campaignmodels.CampaignFlow{AgentDSL: string(s)}, true, nil
}

func campaign(kind campaigns.Kind) campaigns.Definition {
	return campaigns.Definition{Name: "Renewals", Kind: kind, Priority: 3, OurNumber: "+15550100", FlowID: "cf-1", FlowName: "Renew",
		ContactLists: []string{"vip", "gone", "all"}}
}

func starting(w *actstest.World, d campaigns.Definition, flows acts.CampaignFlows, counts lists) acts.StartCampaign {
	actstest.Given(w, campaigns.Campaigns, campaigns.Stream("acme", "cd-1"),
		campaigns.Defined{TenantID: "acme", ProjectID: "shop", CampaignID: "cd-1", Definition: d, At: actstest.Noon})
	return acts.StartCampaign{Log: w.Acting(), Lists: counts, Flows: flows}
}

const hello = says("ON_START:\n  SAY: Hello\n")

func TestACampaignIsStartedOnce(t *testing.T) {
	w, d := actstest.New(t), campaign(campaigns.SMS)
	start := starting(w, d, hello, lists{"vip": 2, "all": 3, "others": 9})
	first, err := start.Do(t.Context(), actstest.Ada("key"), "cd-1", d, nil)
	require.NoError(t, err)
	require.Equal(t, campaigns.Active, first.State.Status)
	started := first.Events[0].Payload.(campaigns.Started)
	require.Equal(t, "Hello", started.MessageText)
	require.Equal(t, first.State.RunID, started.RunID)

	again, err := start.Do(t.Context(), actstest.Ada("key"), "cd-1", d, nil)
	require.NoError(t, err)
	require.True(t, again.Replayed)
	require.Equal(t, first.State.RunID, again.State.RunID)

	_, err = start.Do(t.Context(), actstest.Ada("other"), "cd-1", d, nil)
	require.True(t, fault.Is(err, fault.Conflict))
	require.ErrorContains(t, err, first.State.RunID, "the refusal names the run")
}

func TestAPausedCampaignGoesOnWithItsRun(t *testing.T) {
	w, d := actstest.New(t), campaign(campaigns.SMS)
	start := starting(w, d, hello, lists{"vip": 2})
	first, err := start.Do(t.Context(), actstest.Ada("one"), "cd-1", d, nil)
	require.NoError(t, err)
	actstest.Given(w, campaigns.Campaigns, campaigns.Stream("acme", "cd-1"), campaigns.RunPaused{RunID: first.State.RunID, At: actstest.Noon})
	on, err := start.Do(t.Context(), actstest.Ada("two"), "cd-1", d, nil)
	require.NoError(t, err)
	require.Equal(t, campaigns.Active, on.State.Status)
	require.Equal(t, first.State.RunID, on.State.RunID)
	require.IsType(t, campaigns.RunResumed{}, on.Events[0].Payload)
}

func TestACampaignThatReachesNobodyOrSaysNothingIsNotStarted(t *testing.T) {
	for name, c := range map[string]struct {
		kind   campaigns.Kind
		says   says
		counts lists
		want   string // empty: it is started
	}{
		"no list is left":                 {campaigns.Voice, hello, lists{"others": 9}, "nobody to reach"},
		"all lists are empty":             {campaigns.Voice, hello, lists{"vip": 0, "all": 0}, "nobody to reach"},
		"a text that says nothing":        {campaigns.SMS, "", lists{"vip": 1}, "says nothing"},
		"a source that cannot be read":    {campaigns.SMS, "ON_START: [", lists{"vip": 1}, "says nothing"},
		"a call whose agent says nothing": {campaigns.Voice, "", lists{"vip": 1}, ""},
	} {
		w, d := actstest.New(t), campaign(c.kind)
		_, err := starting(w, d, c.says, c.counts).Do(t.Context(), actstest.Ada(""), "cd-1", d, nil)
		if c.want == "" {
			require.NoError(t, err, name)
			continue
		}
		require.True(t, fault.Is(err, fault.Conflict), name)
		require.ErrorContains(t, err, c.want, name)
	}
}

type lost struct{}

func (lost) Counts(context.Context, string, string, []string) (map[string]int, error) {
	return nil, errors.New("no database")
}

func (lost) FlowOf(context.Context, string, string, string) (f campaignmodels.CampaignFlow, ok bool, err error) {
	return f, false, errors.New("no database")
}

func TestWhatCannotBeReadStartsNothing(t *testing.T) {
	w, d := actstest.New(t), campaign(campaigns.SMS)
	start := starting(w, d, lost{}, lists{"vip": 1})
	_, err := start.Do(t.Context(), actstest.Ada(""), "cd-1", d, nil)
	require.EqualError(t, err, "no database")
	start.Flows, start.Lists = hello, lost{}
	_, err = start.Do(t.Context(), actstest.Ada(""), "cd-1", d, nil)
	require.EqualError(t, err, "no database")
	require.Len(t, w.Log.Accepted(), 1, "its definition")
}
