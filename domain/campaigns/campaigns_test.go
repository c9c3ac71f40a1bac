package campaigns_test

import (
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/parley-platform/parley/domain/campaigns"
	"github.com/parley-platform/parley/domain/event"
	"github.com/parley-platform/parley/domain/event/eventtest"
	"github.com/parley-platform/parley/domain/fault"
	"github.com/parley-platform/parley/domain/fault/faulttest"
	"github.com/parley-platform/parley/domain/texts"
)

var monday = time.Date(2026, 11, 23, 9, 0, 0, 0, time.UTC)

func renewals(edit ...func(*campaigns.Definition)) campaigns.Definition {
	d := campaigns.Definition{Name: "Renewals", Description: "Contracts that end this quarter", Kind: campaigns.Voice, Priority: 3,
		OurNumber: "+15550100000",
		Hours:     hours(campaigns.Weekly, newYork, window("MO", "9:00 AM", "5:00 PM")), FlowID: "cf-1", FlowName: "Support line",
		ContactLists:  []string{"VIPs", "Everyone"},
		MachineDetect: true, SchedulingEnabled: true, Format: "advanced"}
	for _, e := range edit {
		e(&d)
	}
	return d
}

func sms(d *campaigns.Definition) { d.Kind, d.MachineDetect = campaigns.SMS, false }

func define(d campaigns.Definition) campaigns.Define {
	return campaigns.Define{TenantID: "acct", ProjectID: "shop", ID: "cd-1", Definition: d, Declared: true, At: monday}
}

func defined(d campaigns.Definition) campaigns.Defined {
	return campaigns.Defined{TenantID: "acct", ProjectID: "shop", CampaignID: "cd-1", Definition: d, Declared: true, At: monday}
}

func started(runID string) campaigns.Started {
	d := renewals()
	return campaigns.Started{TenantID: "acct", ProjectID: "shop", CampaignID: "cd-1", RunID: runID, Name: d.Name, Kind: d.Kind,
		Priority: d.Priority, OurNumber: d.OurNumber, Hours: d.Hours,
		ContactLists: d.ContactLists, FlowID: d.FlowID, FlowName: d.FlowName, MachineDetect: true, Format: d.Format, At: monday}
}

var (
	paused    = campaigns.RunPaused{TenantID: "acct", ProjectID: "shop", CampaignID: "cd-1", RunID: "cid-1", At: monday}
	resumed   = campaigns.RunResumed{TenantID: "acct", ProjectID: "shop", CampaignID: "cd-1", RunID: "cid-1", At: monday}
	completed = campaigns.RunCompleted{TenantID: "acct", ProjectID: "shop", CampaignID: "cd-1", RunID: "cid-1", At: monday}
)

type command interface {
	Decide(campaigns.State) ([]event.Payload, error)
}

// TestTheLifeOfACampaign has a row for each status and command.
func TestTheLifeOfACampaign(t *testing.T) {
	start := campaigns.Start{RunID: "cid-2", Contacts: 1, At: monday}
	pause, resume := campaigns.Pause{At: monday}, campaigns.Resume{At: monday}
	complete := campaigns.Complete{RunID: "cid-1", At: monday}
	changed := renewals(func(d *campaigns.Definition) { d.Name = "More renewals" })
	update, remove := campaigns.Update{Definition: changed, At: monday}, campaigns.Remove{At: monday}
	updated := campaigns.Updated{TenantID: "acct", ProjectID: "shop", CampaignID: "cd-1", Definition: changed, At: monday}
	updatedPaused := updated
	updatedPaused.EndedRunID = "cid-1"
	same := campaigns.Update{Definition: renewals(), At: monday}
	endsPaused := updatedPaused
	endsPaused.Definition = renewals()
	removed := campaigns.Removed{TenantID: "acct", ProjectID: "shop", CampaignID: "cd-1", At: monday}
	removedPaused := removed
	removedPaused.EndedRunID = "cid-1"

	ready := []event.Payload{defined(renewals())}
	active := append(ready[:1:1], started("cid-1"))
	waits := append(active[:2:2], paused)
	done := append(active[:2:2], completed)
	for name, c := range map[string]struct {
		given  []event.Payload
		when   command
		then   event.Payload // nil: nothing
		reason fault.Code
	}{
		"none: start": {nil, start, nil, fault.NotFound}, "none: pause": {nil, pause, nil, fault.NotFound}, "none: resume": {nil, resume, nil,
			fault.NotFound},
		"none: update": {nil, update, nil, fault.NotFound}, "none: complete": {nil, complete, nil, ""}, "none: remove": {nil, remove, nil, ""},
		"Ready: start": {ready, start, started("cid-2"), ""}, "Ready: pause": {ready, pause, nil, fault.Conflict},
		"Ready: resume": {ready, resume, nil, fault.Conflict},
		"Ready: update": {ready, update, updated, ""}, "Ready: complete": {ready, complete, nil, ""}, "Ready: remove": {ready, remove, removed,
			""},
		"Active: start": {active, start, nil, fault.Conflict}, "Active: pause": {active, pause, paused, ""}, "Active: resume": {active, resume,
			nil, ""},
		"Active: update": {active, update, nil, fault.Conflict}, "Active: complete": {active, complete, completed, ""},
		"Active: remove": {active, remove, nil, fault.Conflict},
		"Paused: start":  {waits, start, nil, fault.Conflict}, "Paused: pause": {waits, pause, nil, ""}, "Paused: resume": {waits, resume,
			resumed, ""},
		"Paused: update": {waits, update, updatedPaused, ""}, "Paused: complete": {waits, complete, completed, ""},
		"Paused: remove":   {waits, remove, removedPaused, ""},
		"Completed: start": {done, start, started("cid-2"), ""}, "Completed: pause": {done, pause, nil, fault.Conflict},
		"Completed: resume": {done, resume, nil, fault.Conflict},
		"Completed: update": {done, update, updated, ""}, "Completed: complete": {done, complete, nil, ""}, "Completed: remove": {done, remove,
			removed, ""},
		"Ready: update to what it is": {ready, same, nil, ""}, "Paused: update to what it is": {waits, same, endsPaused, ""},
		"Active: update to what it is": {active, same, nil, fault.Conflict},
		"another run's end":            {active, campaigns.Complete{RunID: "cid-0", At: monday}, nil, ""},
	} {
		got, err := c.when.Decide(campaigns.Campaigns.State(c.given...))
		require.Equal(t, c.reason, fault.CodeOf(err), name)
		if c.then == nil {
			require.Empty(t, got, name)
		} else {
			require.Equal(t, []event.Payload{c.then}, got, name)
		}
	}
	for status, given := range map[campaigns.Status][]event.Payload{campaigns.Ready: ready, campaigns.Active: active, campaigns.Paused: waits,
		campaigns.Completed: done} {
		require.Equal(t, status, campaigns.Campaigns.State(given...).Status)
	}
	require.Equal(t, campaigns.Active, campaigns.Campaigns.State(append(waits[:3:3], resumed)...).Status)
	require.Equal(t, campaigns.Ready, campaigns.Campaigns.State(append(waits[:3:3], updatedPaused)...).Status)
	require.False(t, campaigns.Campaigns.State(append(ready[:1:1], removed)...).Exists())
}

func TestASecondStartNamesTheRun(t *testing.T) {
	_, err := campaigns.Start{RunID: "cid-2", Contacts: 1, At: monday}.Decide(campaigns.Campaigns.State(defined(renewals()),
		started("cid-1")))
	var e *fault.Error
	require.ErrorAs(t, err, &e)
	require.Contains(t, e.Message, "cid-1")
	require.Equal(t, []fault.Detail{{Field: "campaignInstanceId", Problem: "cid-1"}}, e.Details)
}

func TestARunNeedsSomebodyToReachAndSomethingToSay(t *testing.T) {
	_, err := campaigns.Start{RunID: "cid-1", At: monday}.Decide(campaigns.Campaigns.State(defined(renewals())))
	require.True(t, fault.Is(err, fault.Conflict))
	require.ErrorContains(t, err, `"VIPs", "Everyone"`)

	reminders := campaigns.Campaigns.State(defined(renewals(sms)))
	_, err = campaigns.Start{RunID: "cid-1", Contacts: 1, At: monday}.Decide(reminders)
	require.True(t, fault.Is(err, fault.Conflict))
	require.ErrorContains(t, err, "Support line")
	for _, text := range []string{strings.Repeat("é", 1601), " \n", "a\x00"} {
		_, err = campaigns.Start{RunID: "cid-1", Contacts: 1, MessageText: text, At: monday}.Decide(reminders)
		require.True(t, fault.Is(err, fault.Conflict), "%q is no message", text)
	}
	got, err := campaigns.Start{RunID: "cid-1", Contacts: 1, MessageText: "Hello", At: monday}.Decide(reminders)
	require.NoError(t, err)
	require.Equal(t, "Hello", got[0].(campaigns.Started).MessageText)
	require.False(t, got[0].(campaigns.Started).MachineDetect)
}

func TestRecurrenceNeedsTheSchedule(t *testing.T) {
	for _, c := range []struct{ scheduled, recurring, want bool }{{false, false, false}, {true, false, false}, {false, true, false},
		{true, true, true}} {
		d := renewals(func(d *campaigns.Definition) { d.SchedulingEnabled, d.RecurrenceEnabled = c.scheduled, c.recurring })
		got, err := campaigns.Start{RunID: "cid-1", Contacts: 1, At: monday}.Decide(campaigns.Campaigns.State(defined(d)))
		require.NoError(t, err)
		require.Equal(t, c.want, got[0].(campaigns.Started).Recurring)
	}
}

func TestTheSameManifestChangesNothing(t *testing.T) {
	again := define(renewals(func(d *campaigns.Definition) { d.Name = "  Renewals " }))
	edited := campaigns.Updated{TenantID: "acct", ProjectID: "shop", CampaignID: "cd-1",
		Definition: renewals(func(d *campaigns.Definition) { d.Priority = 5 }), At: monday}
	for _, given := range [][]event.Payload{{defined(renewals())}, {defined(renewals()), started("cid-1")}, {defined(renewals()), edited}} {
		got, err := again.Decide(campaigns.Campaigns.State(given...))
		require.NoError(t, err)
		require.Empty(t, got)
	}
	renamed := renewals(func(d *campaigns.Definition) { d.Name = "Renewals 2" })
	got, err := define(renamed).Decide(campaigns.Campaigns.State(defined(renewals()), edited))
	require.NoError(t, err)
	want := edited
	want.Definition.Name, want.Declared = "Renewals 2", &renamed
	require.Equal(t, []event.Payload{want}, got, "what was changed by other means stays until its own line changes")
	got, err = define(renamed).Decide(campaigns.Campaigns.State(defined(renewals()), edited, want))
	require.NoError(t, err)
	require.Empty(t, got)
	_, err = define(renamed).Decide(campaigns.Campaigns.State(defined(renewals()), started("cid-1")))
	require.True(t, fault.Is(err, fault.Conflict))
	moved := define(renewals())
	moved.ProjectID = "other"
	_, err = moved.Decide(campaigns.Campaigns.State(defined(renewals())))
	require.True(t, fault.Is(err, fault.Conflict))
}

func TestCallersInTheirStoredForm(t *testing.T) {
	for raw, want := range map[string]string{"+15550100000": "+15550100000", "15550100000": "+15550100000",
		"+1 (555) 010-0000": "+15550100000"} {
		for _, kind := range []func(*campaigns.Definition){func(*campaigns.Definition) {}, sms} {
			got, err := define(renewals(kind, func(d *campaigns.Definition) { d.OurNumber = raw })).Decide(campaigns.State{})
			require.NoError(t, err, raw)
			require.Equal(t, want, got[0].(campaigns.Defined).Definition.OurNumber)
		}
	}
	for _, raw := range []string{"72345", "ACME", "MG0123456789abcdef0123456789abcdef"} {
		got, err := define(renewals(sms, func(d *campaigns.Definition) { d.OurNumber = raw })).Decide(campaigns.State{})
		require.NoError(t, err, raw)
		require.Equal(t, raw, got[0].(campaigns.Defined).Definition.OurNumber)
		_, err = define(renewals(func(d *campaigns.Definition) { d.OurNumber = raw })).Decide(campaigns.State{})
		require.True(t, fault.Is(err, fault.Validation), raw)
		r := texts.Request{MessageID: "m", ProjectID: "shop", From: raw, To: "+15550000001", Text: "Hello"}
		require.NoError(t, r.Validate().Err(), "what a campaign takes can be sent from: %s", raw)
	}
	for _, raw := range []string{"Acme Company", "ACME_1", "+12345"} {
		_, err := define(renewals(sms, func(d *campaigns.Definition) { d.OurNumber = raw })).Decide(campaigns.State{})
		require.True(t, fault.Is(err, fault.Validation), "nobody could send from %s", raw)
	}
}

func TestFieldsOfACampaignAtTheirLimits(t *testing.T) {
	type edit = func(*campaigns.Definition)
	for _, ok := range []edit{
		func(d *campaigns.Definition) { d.Name = strings.Repeat("é", 48) }, func(d *campaigns.Definition) {
			d.Description = strings.Repeat("é",
				256)
		},
		func(d *campaigns.Definition) { d.Description = "Contracts\nthat end \u2764\ufe0f\tthis quarter" },
		func(d *campaigns.Definition) { d.Priority = 1 }, func(d *campaigns.Definition) { d.Priority = 5 },
	} {
		_, err := define(renewals(ok)).Decide(campaigns.State{})
		require.NoError(t, err)
	}
	for field, edits := range map[string][]edit{
		"name": {func(d *campaigns.Definition) { d.Name = strings.Repeat("é", 49) }, func(d *campaigns.Definition) { d.Name = " " },
			func(d *campaigns.Definition) { d.Name = "a\nb" }, func(d *campaigns.Definition) { d.Name = "\xff" }},
		"description": {func(d *campaigns.Definition) { d.Description = strings.Repeat("é", 257) }, func(d *campaigns.Definition) {
			d.Description = ""
		}, func(d *campaigns.Definition) { d.Description = "\n" }, func(d *campaigns.Definition) { d.Description = "\xff" }},
		"format":       {func(d *campaigns.Definition) { d.Format = "" }},
		"campaignType": {func(d *campaigns.Definition) { d.Kind = "email" }},
		"priority":     {func(d *campaigns.Definition) { d.Priority = 0 }, func(d *campaigns.Definition) { d.Priority = 6 }},
		"dialingStrategy.callerId.phoneNumber": {func(d *campaigns.Definition) { d.OurNumber = "" }, func(d *campaigns.Definition) {
			d.OurNumber = "+0123456789"
		},
			func(d *campaigns.Definition) { d.OurNumber = "+1234567890123456" }},
		"dialingStrategy.callingHours.timezone": {func(d *campaigns.Definition) { d.Hours.Timezone = "EST5" }},
		"experienceFlowName":                    {func(d *campaigns.Definition) { d.FlowID = "" }},
		"contactLists": {func(d *campaigns.Definition) { d.ContactLists = nil }, func(d *campaigns.Definition) {
			d.ContactLists = make([]string, 51)
		}},
		"contactLists[1]": {func(d *campaigns.Definition) { d.ContactLists = []string{"a", "a"} }, func(d *campaigns.Definition) {
			d.ContactLists = []string{"a", ""}
		}},
	} {
		for _, e := range edits {
			_, err := define(renewals(e)).Decide(campaigns.State{})
			require.Equal(t, []string{field}, faulttest.Fields(t, err))
		}
	}
	_, err := campaigns.Update{Definition: renewals(sms), At: monday}.Decide(campaigns.Campaigns.State(defined(renewals())))
	require.True(t, fault.Is(err, fault.Validation), "a voice campaign never becomes one that sends messages")
}

func TestIDsOfCampaigns(t *testing.T) {
	for id, ok := range map[string]bool{"cd-1": true, "cd-" + strings.Repeat("x", 125): true, "cd-" + strings.Repeat("x", 126): false,
		"cd-": false, "1": false, "cd-a.b": false} {
		require.Equal(t, ok, campaigns.ValidID(id), id)
	}
	require.NotEqual(t, campaigns.Stream("a", "b-c"), campaigns.Stream("a-b", "c"))
}

func TestTheRegister(t *testing.T) {
	enter, strike := campaigns.Enter{TenantID: "acct", ProjectID: "shop", ID: "cd-1", Name: "Renewals"}, campaigns.Strike{TenantID: "acct",
		ProjectID: "shop", ID: "cd-1"}
	entered, err := enter.Decide(campaigns.Register{})
	require.NoError(t, err)
	require.Equal(t, []event.Payload{campaigns.Entered{TenantID: "acct", ProjectID: "shop", CampaignID: "cd-1", Name: "Renewals"}}, entered)
	again, err := enter.Decide(campaigns.Registers.State(entered...))
	require.NoError(t, err)
	require.Empty(t, again)
	struck, err := strike.Decide(campaigns.Registers.State(entered...))
	require.NoError(t, err)
	require.Equal(t, []event.Payload{campaigns.Struck{TenantID: "acct", ProjectID: "shop", CampaignID: "cd-1"}}, struck)
	again, err = strike.Decide(campaigns.Registers.State(entered[0], struck[0]))
	require.NoError(t, err)
	require.Empty(t, again)
}

func TestTheEventsOnTheLogStillDecode(t *testing.T) {
	d := renewals()
	eventtest.Golden(t, campaigns.Campaigns.Category, "testdata/events", defined(d),
		campaigns.Updated{TenantID: "acct", ProjectID: "shop", CampaignID: "cd-1", Definition: d, Declared: &d, EndedRunID: "cid-1",
			At: monday},
		started("cid-1"), paused, resumed, completed, campaigns.Removed{TenantID: "acct", ProjectID: "shop", CampaignID: "cd-1",
			EndedRunID: "cid-1", At: monday})
	eventtest.Golden(t, campaigns.Registers.Category, "testdata/campaignregisters",
		campaigns.Entered{TenantID: "acct", ProjectID: "shop", CampaignID: "cd-1", Name: "Renewals"}, campaigns.Struck{TenantID: "acct",
			ProjectID: "shop", CampaignID: "cd-1"})
}
