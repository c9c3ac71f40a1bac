package campaigns_test

import (
	"context"
	"errors"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/parley-platform/parley/domain/calls"
	models "github.com/parley-platform/parley/projections/campaigns"
)

const verdictsOfOne = one + "/verdicts"

func (o *office) Of(_ context.Context, tenant, project, campaign, run string) ([]models.Judged, error) {
	if tenant+"/"+project+"/"+campaign != "acme/p-1/cd-1" || run == "cid-9" {
		return nil, o.down["Of"]
	}
	return []models.Judged{
		{Verdict: string(calls.AmdDecisionTimeout), Calls: 1, Spoke: 1},
		{Verdict: string(calls.AmdHumanDetected), Calls: 15, Mailbox: 1, Pressed: 2, Spoke: 3, HungUpOn: 0, LeftAtOnce: 4, Silent: 5},
		{Verdict: string(calls.AmdMachineDetected), Calls: 16, Mailbox: 1, Pressed: 2, Spoke: 3, HungUpOn: 4, Unheard: 5, UnderWay: 1},
		{Verdict: string(calls.AmdNoSpeechDetected), Calls: 6, Mailbox: 1, Pressed: 2, Spoke: 3},
	}, o.down["Of"]
}

func TestWhoWasTakenForWhat(t *testing.T) {
	w, o := newOffice(t, ready(voiceOnes, given)...)
	require.JSONEq(t, `{"status":"success","message":"Verdicts Found","data":{"campaignId":"cd-1","verdicts":[
		{"verdict":"amd_decision_timeout","calls":1,"contradicted":0,
			"next":{"mailbox":0,"pressed":0,"spoke":1,"hungUpOn":0,"leftAtOnce":0,"silent":0,"unheard":0,"underWay":0}},
		{"verdict":"amd_human_detected","calls":15,"contradicted":1,
			"next":{"mailbox":1,"pressed":2,"spoke":3,"hungUpOn":0,"leftAtOnce":4,"silent":5,"unheard":0,"underWay":0}},
		{"verdict":"amd_machine_detected","calls":16,"contradicted":5,
			"next":{"mailbox":1,"pressed":2,"spoke":3,"hungUpOn":4,"leftAtOnce":0,"silent":0,"unheard":5,"underWay":1}},
		{"verdict":"amd_no_speech_detected","calls":6,"contradicted":6,
			"next":{"mailbox":1,"pressed":2,"spoke":3,"hungUpOn":0,"leftAtOnce":0,"silent":0,"unheard":0,"underWay":0}}]}}`,
		w.Ask("GET", verdictsOfOne, "", named()...).Text)
	require.JSONEq(t, `{"status":"success","message":"Verdicts Found","data":{"campaignId":"cd-1","verdicts":[]}}`,
		w.Ask("GET", verdictsOfOne+"?campaignInstanceId=cid-9", "", named()...).Text)
	o.down["Of"] = errors.New("down")
	require.Equal(t, 500, w.Ask("GET", verdictsOfOne, "", named()...).Status)
}
