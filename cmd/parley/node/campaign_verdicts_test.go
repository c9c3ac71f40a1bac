//go:build !apache

package node_test

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/parley-platform/parley/domain/campaigns"
)

// TestACampaignTellsWhoWasTakenForWhat calls the simulated callees: people, mailboxes, and who says nothing or does not answer.
func TestACampaignTellsWhoWasTakenForWhat(t *testing.T) {
	t.Parallel()
	c := newCampaigner(t, shared(t).tenant(t, ""))
	c.list("All", 1, 9, "+1555000%04d")
	c.campaign("cd-verdicts", []string{"All"}, func(d *campaigns.Definition) { d.MachineDetect = true })
	run := c.start("cd-verdicts")
	c.completed("cd-verdicts")

	type verdict struct {
		Verdict             string
		Calls, Contradicted int
		Next                map[string]int
	}
	read := func(query string) (all []verdict) {
		var body struct{ Data struct{ Verdicts []verdict } }
		c.on.do(t, "GET", "/agentassist/api/v1/public/"+mainApp+"/campaign/cd-verdicts/verdicts"+query, nil, "auth", c.token(t),
			"accountId", c.id, "iid", mainApp).must(t, 200).into(t, &body)
		return body.Data.Verdicts
	}
	got := read("")
	var told []string
	for _, v := range got {
		told = append(told, fmt.Sprint(v.Verdict, " ", v.Calls))
		sum := 0
		for _, n := range v.Next {
			sum += n
		}
		require.Equal(t, v.Calls, sum, "each call counts once")
	}
	require.Equal(t, []string{"amd_human_detected 2", "amd_machine_detected 2", "amd_no_speech_detected 1"}, told)
	require.Equal(t, 2, got[1].Next["hungUpOn"])
	require.Zero(t, got[1].Contradicted)
	require.Equal(t, got, read("?campaignInstanceId="+run))
	require.Empty(t, read("?campaignInstanceId=cid-other"))
}
