//go:build !apache

package node_test

import (
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/parley-platform/parley/domain/calls"
	"github.com/parley-platform/parley/domain/campaigns"
	"github.com/parley-platform/parley/eventstore"
)

// Given an agent that was deployed and changed since, when a call is placed and an SMS campaign is started, then both say what is
// deployed; before anything was deployed they say the working copy, and so they do once it is retired.
func TestCallsAndTextsSayWhatIsDeployed(t *testing.T) {
	t.Parallel()
	w := newCampaignWorld(t)
	bearer := []string{"auth", w.auth[1]}
	saying := func(text string) string {
		return "DSL: 1\nAGENT: greeter\nON_START: {SAY: " + text + "}\nFLOW: {START: bye, STEPS: {bye: {SAY: Bye., END: true}}}\n"
	}
	save := func(text string) {
		w.on.do(t, "PUT", agentsPath+"/greeter/dsl", fields{"dslContent": saying(text)}, bearer...).must(t, 200)
	}
	says := func() []string {
		var p placed
		w.on.do(t, "POST", dialOutPath, aCall(), bearer...).must(t, 200).into(t, &p)
		call, err := eventstore.Read(t.Context(), w.on.Store(), calls.Calls, calls.Calls.Stream(p.CallID))
		require.NoError(t, err)
		w.triggered(t, smsID, "sms", "play")
		runs, err := w.on.Store().Index.Load(t.Context(), campaigns.Stream(w.id, smsID))
		require.NoError(t, err)
		var started campaigns.Started
		for _, r := range runs {
			if r.Type == "parley.campaigns.started.v1" {
				require.NoError(t, json.Unmarshal(r.Data, &started))
			}
		}
		w.triggered(t, smsID, "sms", "pause")
		w.put(t, smsID, campaignBody("sms")).must(t, 200) // which ends the run: the next one reads the text anew
		return []string{call.State.Request.Flow.StartText, started.MessageText}
	}
	save("Working")
	require.Equal(t, []string{"Working", "Working"}, says())
	d := w.on.do(t, "POST", agentDeployments, fields{"environment": "dev", "entryAgentName": "greeter", "agentVersionManifest": "auto"},
		bearer...).must(t, 201).deployment(t)
	save("Changed since")
	require.Equal(t, []string{"Working", "Working"}, says())
	w.on.do(t, "POST", path(d)+"/retire", nil, bearer...).must(t, 200)
	require.Equal(t, []string{"Changed since", "Changed since"}, says())
}
