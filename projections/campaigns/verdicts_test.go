package campaigns_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/parley-platform/parley/domain/calls"
	"github.com/parley-platform/parley/domain/event"
	campaignmodels "github.com/parley-platform/parley/projections/campaigns"
	given "github.com/parley-platform/parley/projections/projectiontest"
)

// Given the events of a campaign's call, then these are the rows after each.
func TestRowsOfVerdicts(t *testing.T) {
	model := given.Open(t).Follow(campaignmodels.VerdictsModel)
	detected := func(r calls.Result, second int) calls.AmdDetected {
		return given.Filled(func(e *calls.AmdDetected) { e.Result, e.At = r, given.Second(second) })
	}
	heard := func(text string, second int) calls.Heard {
		return given.Filled(func(e *calls.Heard) { e.Language, e.Text, e.At = "de-DE", text, given.Second(second) })
	}
	model.After("callId", given.Filled(func(e *calls.Requested) { e.CallID, e.Campaign = "other", nil }))
	model.After("callId", given.Filled(func(e *calls.Requested) { e.CallID, e.MachineDetection = "another", calls.DetectionDisabled }))
	model.After("callId", given.Filled(func(e *calls.Requested) { e.CallID = "callId" }), "+ campaign_verdicts conversation_id=callId "+
		"tenant=tenantId project_id=projectId campaign_id=campaignId run_id=campaignInstanceId hears=true")
	model.After("callId", detected(calls.AmdToneDetected, 1))
	model.After("callId", detected(calls.AmdMachineDetected, 2),
		"~ campaign_verdicts conversation_id=callId: verdict=amd_machine_detected verdict_at=12:00:02")
	model.After("callId", detected(calls.AmdMachineStoppedSpeaking, 3), "~ campaign_verdicts conversation_id=callId: fell_silent_at=12:00:03")
	model.After("callId", heard("Guten Tag.", 4), "~ campaign_verdicts conversation_id=callId: heard_at=12:00:04")
	model.After("callId", heard("Bitte eine Nachricht hinterlassen.", 5),
		"~ campaign_verdicts conversation_id=callId: heard_at=12:00:05 mailbox_at=12:00:05")
	model.After("callId", given.Filled(func(e *calls.DigitsPressed) { e.At = given.Second(6) }),
		"~ campaign_verdicts conversation_id=callId: pressed_at=12:00:06")
	model.After("callId", given.Filled(func(e *calls.Completed) { e.At = given.Second(7) }),
		"~ campaign_verdicts conversation_id=callId: ended_at=12:00:07 ended_by=by")
	model.After("callId", given.Filled[calls.Erased](), "~ campaign_verdicts conversation_id=callId: mailbox_at=")
	model.After("callId", given.Filled[calls.Failed](), "- campaign_verdicts conversation_id=callId")
}

// Given calls whose verdict is at second 10, then each counts under what came behind it.
func TestAnswersAboutVerdicts(t *testing.T) {
	w, ctx := given.Open(t), t.Context()
	x := campaignmodels.NewVerdicts(w.DB)
	n := 0
	call := func(verdict calls.Result, change func(*calls.Requested), behind ...event.Payload) {
		n++
		id := string(rune('a' + n))
		events := []event.Payload{given.Filled(func(e *calls.Requested) {
			if e.CallID = id; change != nil {
				change(e)
			}
		})}
		if verdict != "" {
			events = append(events, given.Filled(func(e *calls.AmdDetected) { e.Result, e.At = verdict, given.Second(10) }))
		}
		w.Given(campaignmodels.VerdictsModel, id, append(events, behind...)...)
	}
	heard := func(second int, text string) calls.Heard {
		return given.Filled(func(e *calls.Heard) { e.At, e.Text, e.Language = given.Second(second), text, "en" })
	}
	ended := func(after time.Duration, by calls.Party) calls.Completed {
		return given.Filled(func(e *calls.Completed) { e.At, e.By = given.Second(10).Add(after), by })
	}
	silent := given.Filled(func(e *calls.AmdDetected) { e.Result, e.At = calls.AmdMachineStoppedSpeaking, given.Second(15) })
	pressed := given.Filled(func(e *calls.DigitsPressed) { e.At = given.Second(11) })
	const minute = time.Minute

	human := calls.AmdHumanDetected
	call(human, nil, heard(10, "hello"), ended(minute, calls.ByCallee))                            // silent: that was judged
	call(human, nil, heard(12, "leave a message"), heard(20, "hm"), ended(minute, calls.ByCallee)) // mailbox
	call(human, nil, heard(12, "yes"), ended(minute, calls.ByBot))                                 // spoke
	call(human, nil, pressed, heard(12, "yes"), ended(minute, calls.ByBot))                        // pressed
	call(human, nil, ended(2*time.Second, calls.ByCallee))                                         // left
	call(human, nil, ended(2*time.Second, calls.ByBot))                                            // silent
	call(human, nil)                                                                               // under way
	call(human, func(e *calls.Requested) { e.Flow.Talks = false }, ended(minute, calls.ByBot))     // unheard
	machine := calls.AmdMachineDetected
	call(machine, nil, heard(12, "we are closed"), ended(minute, calls.ByCallee))                     // silent: it is the greeting
	call(machine, nil, heard(12, "we are closed"), silent, heard(16, "hello?"), ended(minute, "bot")) // spoke
	call(machine, nil, ended(time.Millisecond, calls.ByBot))                                          // hung up on
	call("", nil, ended(minute, calls.ByCallee))                                                      // not judged
	call(human, func(e *calls.Requested) { e.Campaign.RunID = "cid-2" }, ended(minute, calls.ByBot))  // silent, of another run
	call(human, func(e *calls.Requested) { e.Campaign.CampaignID = "cd-2" }, ended(minute, "bot"))    // another's
	call(human, func(e *calls.Requested) { e.ProjectID = "other" }, ended(minute, calls.ByBot))       // another's
	all := func(tenant, run string) []campaignmodels.Judged {
		got, err := x.Of(ctx, tenant, "projectId", "campaignId", run)
		require.NoError(t, err)
		return got
	}
	people := campaignmodels.Judged{Verdict: string(human), Calls: 8, UnderWay: 1, Mailbox: 1, Pressed: 1, Spoke: 1, LeftAtOnce: 1, Silent: 2,
		Unheard: 1}
	machines := campaignmodels.Judged{Verdict: string(machine), Calls: 3, Spoke: 1, HungUpOn: 1, Silent: 1}
	require.Equal(t, []campaignmodels.Judged{people, machines}, all("tenantId", "campaignInstanceId"))
	people.Calls, people.Silent = 9, 3
	require.Equal(t, []campaignmodels.Judged{people, machines}, all("tenantId", ""))
	require.Empty(t, all("other", ""))
}
