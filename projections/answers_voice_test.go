package projections_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/parley-platform/parley/domain/agents"
	"github.com/parley-platform/parley/domain/calls"
	"github.com/parley-platform/parley/domain/exports"
	"github.com/parley-platform/parley/domain/flows"
	"github.com/parley-platform/parley/domain/sessions"
	"github.com/parley-platform/parley/domain/texts"
	"github.com/parley-platform/parley/domain/trunks"
	"github.com/parley-platform/parley/domain/voicemails"
	"github.com/parley-platform/parley/projections"
	"github.com/parley-platform/parley/projections/channels"
	"github.com/parley-platform/parley/projections/contactcenter"
	given "github.com/parley-platform/parley/projections/projectiontest"
	"github.com/parley-platform/parley/projections/reporting"
	"github.com/parley-platform/parley/projections/voice"
)

// Given texts of two projects, then a list has one project's, newest first, as asked for.
func TestAnswersAboutTexts(t *testing.T) {
	w := given.Open(t)
	text := func(id string, at int, edit func(*texts.Requested)) {
		w.Given(channels.TextsModel, id, given.Filled(func(e *texts.Requested) {
			e.At = second(at)
			edit(e)
		}))
	}
	text("m-1", 1, func(*texts.Requested) {})
	text("m-2", 2, func(e *texts.Requested) { e.Campaign = nil })
	text("m-3", 3, func(e *texts.Requested) { e.Campaign.CampaignID, e.Campaign.InstanceID = "other", "run" })
	text("m-4", 4, func(e *texts.Requested) { e.ProjectID = "other" })
	text("m-5", 5, func(e *texts.Requested) { e.TenantID = "other" })
	w.Given(channels.TextsModel, "m-3", given.Filled[texts.AttemptStarted](), given.Filled[texts.Sent]())

	list := func(q channels.TextQuery) (ids []string, total int) {
		q.Tenant, q.Project = "tenantId", "projectId"
		found, total, err := channels.NewTexts(w.DB).List(t.Context(), q)
		require.NoError(t, err)
		for _, m := range found {
			ids = append(ids, m.ID)
		}
		return ids, total
	}
	for name, c := range map[string]struct {
		q     channels.TextQuery
		ids   []string
		total int
	}{
		"all":           {channels.TextQuery{Limit: 10}, []string{"m-3", "m-2", "m-1"}, 3},
		"a page":        {channels.TextQuery{Limit: 1, Offset: 1}, []string{"m-2"}, 3},
		"past the end":  {channels.TextQuery{Limit: 1, Offset: 9}, nil, 3},
		"of a status":   {channels.TextQuery{Limit: 10, Status: channels.TextQueued}, []string{"m-2", "m-1"}, 2},
		"of a campaign": {channels.TextQuery{Limit: 10, CampaignID: "other"}, []string{"m-3"}, 1},
		"of a run":      {channels.TextQuery{Limit: 10, CampaignInstanceID: "instanceId"}, []string{"m-1"}, 1},
	} {
		ids, total := list(c.q)
		require.Equal(t, c.ids, ids, name)
		require.Equal(t, c.total, total, name)
	}
	found, _, err := channels.NewTexts(w.DB).List(t.Context(), channels.TextQuery{Tenant: "tenantId", Project: "projectId", Limit: 1})
	require.NoError(t, err)
	require.Equal(t, []string{"from", "to", "text", "sent", "other", "run", "provider", "providerMessageId"},
		[]string{found[0].From, found[0].To, found[0].Text, string(found[0].Status), found[0].CampaignID, found[0].CampaignInstanceID,
			found[0].Provider, found[0].ProviderMessageID})
}

// Given what a tenant has set up, when a call is asked for, then its trunk, its flow and its agent are found.
func TestAnswersAboutWhatACallNeeds(t *testing.T) {
	w := given.Open(t)
	w.Given(voice.VoiceSetupModel, "tenantId",
		given.Filled[trunks.TrunkDefined](),
		given.Filled(func(e *trunks.TrunkDefined) { e.Name, e.Default, e.Provider = "second", false, "sip" }))
	w.Given(voice.VoiceSetupModel, "p", given.Filled(func(e *flows.FlowDefined) { e.Number, e.AgentName = "+15550001", "ann" }))
	w.Given(voice.VoiceSetupModel, "p", given.Filled(func(e *agents.AgentDefined) { e.Name = "ann" }),
		given.Filled[agents.DSLDeclared]())
	setup := voice.NewVoiceSetup(w.DB)
	flow := flows.Flow{ID: "flowId", Name: "name", Number: "15550001", AgentName: "ann", Language: "language"}
	for name, c := range map[string]struct {
		tenant, project, trunk, caller string
		want                           projections.CallSetup
	}{
		"the default": {"tenantId", "projectId", "", "+15550001", projections.CallSetup{Trunk: "name", Provider: "provider", Flow: flow,
			AgentDSL: "dslContent"}},
		"a trunk by name": {"tenantId", "projectId", "second", "15550001",
			projections.CallSetup{Trunk: "second", Provider: "sip", Flow: flow, AgentDSL: "dslContent"}},
		"no such trunk":     {"tenantId", "projectId", "third", "15550001", projections.CallSetup{Flow: flow, AgentDSL: "dslContent"}},
		"no flow":           {"tenantId", "projectId", "", "15550002", projections.CallSetup{Trunk: "name", Provider: "provider"}},
		"another project":   {"tenantId", "other", "", "15550001", projections.CallSetup{Trunk: "name", Provider: "provider"}},
		"another tenant":    {"other", "projectId", "", "15550001", projections.CallSetup{}},
		"somebody's trunk":  {"other", "projectId", "second", "15550001", projections.CallSetup{}},
		"a number not NULL": {"tenantId", "projectId", "", "", projections.CallSetup{Trunk: "name", Provider: "provider"}},
	} {
		got, err := setup.CallSetup(t.Context(), c.tenant, c.project, c.trunk, c.caller)
		require.NoError(t, err, name)
		require.Equal(t, c.want, got, name)
	}
}

// Given voicemails of sessions, then those of one are listed, oldest first.
func TestAnswersAboutVoicemails(t *testing.T) {
	w := given.Open(t)
	x := contactcenter.NewVoicemails(w.DB)
	for i, id := range []string{"v-1", "v-2", "v-3"} {
		w.Given(contactcenter.VoicemailsModel, id, given.Filled(func(e *voicemails.Recorded) {
			e.At = second(9 - i)
			if id == "v-3" {
				e.SessionID = "another"
			}
		}))
	}
	w.Given(contactcenter.VoicemailsModel, "v-1", given.Filled[voicemails.Transcribed]())
	of, err := x.Of(t.Context(), "tenantId", "projectId", "sessionId")
	require.NoError(t, err)
	require.Len(t, of, 2)
	require.Equal(t, "v-2", of[0].ID)
	require.Equal(t, voicemails.TranscriptPending, of[0].Transcription)
	require.Equal(t, []string{"v-1", "fileId", "fileName", "callerId", "language", "text", "provider"},
		[]string{of[1].ID, of[1].FileID, of[1].FileName, of[1].CallerID, of[1].Language, of[1].Transcript, of[1].Provider})

	for _, c := range []struct {
		tenant, project string
		there           bool
	}{{"tenantId", "projectId", true}, {"other", "projectId", false}, {"tenantId", "other", false}} {
		has, err := x.Has(t.Context(), c.tenant, c.project, "v-1")
		require.NoError(t, err)
		require.Equal(t, c.there, has)
		has, err = x.HasSession(t.Context(), c.tenant, c.project, "another")
		require.NoError(t, err)
		require.Equal(t, c.there, has, "a session of which there is only a voicemail")
		of, err := x.Of(t.Context(), c.tenant, c.project, "another")
		require.NoError(t, err)
		require.Equal(t, c.there, len(of) == 1)
	}
	w.Given(voice.SessionsModel, "sessionId", given.Filled(func(e *sessions.Opened) { e.SessionID = "quiet" }))
	has, err := x.HasSession(t.Context(), "tenantId", "projectId", "quiet")
	require.NoError(t, err)
	require.True(t, has)
}

// Given calls, then the Interactions page has a project's, newest first, and says how many there are.
func TestAnswersAboutInteractions(t *testing.T) {
	w := given.Open(t)
	x := voice.NewInteractions(w.DB)
	for i, id := range []string{"c-1", "c-2", "c-3"} {
		w.Given(voice.InteractionsModel, id, given.Filled(func(e *calls.Requested) { e.CallID, e.At, e.Metadata = id, second(i), nil }))
	}
	w.Given(voice.InteractionsModel, "c-9", given.Filled(func(e *calls.Requested) {
		e.CallID, e.ProjectID, e.Metadata = "c-9",
			"other", nil
	}))
	w.Given(voice.InteractionsModel, "c-2", given.Filled[calls.Answered](), given.Filled[calls.Completed]())
	for name, c := range map[string]struct {
		status        voice.InteractionStatus
		limit, offset int
		ids           []string
		total         int
	}{
		"all":          {"", 10, 0, []string{"c-3", "c-2", "c-1"}, 3},
		"a page":       {"", 1, 2, []string{"c-1"}, 3},
		"past the end": {"", 10, 3, nil, 3},
		"of a status":  {voice.InteractionMachineDetected, 10, 0, []string{"c-2"}, 1},
		"of none":      {voice.InteractionFailed, 10, 0, nil, 0},
	} {
		found, total, err := x.List(t.Context(), "tenantId", "projectId", c.status, c.limit, c.offset)
		require.NoError(t, err, name)
		var ids []string
		for _, i := range found {
			ids = append(ids, i.ConversationID)
		}
		require.Equal(t, c.ids, ids, name)
		require.Equal(t, c.total, total, name)
	}
	i, there, err := x.Of(t.Context(), "tenantId", "projectId", "c-2")
	require.NoError(t, err)
	require.True(t, there)
	duration := int64(7)
	i.RequestedAt, i.StartedAt, i.EndedAt = i.RequestedAt.UTC(), nil, nil
	require.Equal(t, voice.Interaction{ConversationID: "c-2", Channel: "voice", Direction: "Outbound",
		Status: voice.InteractionMachineDetected,
		UserID: "target", CenterID: "caller", AgentName: "agentName", SessionID: "sessionId", Detection: "machineDetection", Verdict: "verdict",
		RequestedAt: second(1), DurationMs: &duration, ReasonCode: "reasonCode", Reason: "reason", DisconnectingEvent: "Gateway Hangup",
		FinalStatus: "CLOSED"}, i)
	for _, place := range [][2]string{{"other", "projectId"}, {"tenantId", "other"}} {
		_, there, err = x.Of(t.Context(), place[0], place[1], "c-2")
		require.NoError(t, err)
		require.False(t, there)
	}
}

// Given an export and its file, then the job is its project's, and the file whose who has its id.
func TestAnswersAboutExportsAndFiles(t *testing.T) {
	w := given.Open(t)
	for _, m := range []*projections.Model{reporting.ExportsModel, reporting.FilesModel} {
		w.Given(m, "jobId", given.Filled[exports.Requested](), given.Filled[exports.Succeeded]())
	}
	j, there, err := reporting.NewExports(w.DB).Job(t.Context(), "tenantId", "projectId", "jobId")
	require.NoError(t, err)
	require.True(t, there)
	j.RequestedAt = j.RequestedAt.UTC()
	require.Equal(t, reporting.ExportJob{ID: "jobId", IndexID: "searchIndexId", Status: exports.Success, RequestedAt: second(9),
		Features: []exports.FeatureResult{{Feature: "feature", Status: "status"}}, FileID: "fileId", FileName: "fileName", Blob: "blob"}, j)
	for _, place := range [][2]string{{"other", "projectId"}, {"tenantId", "other"}} {
		_, there, err = reporting.NewExports(w.DB).Job(t.Context(), place[0], place[1], "jobId")
		require.NoError(t, err)
		require.False(t, there)
	}
	f, there, err := reporting.NewFiles(w.DB).Named(t.Context(), "fileId")
	require.NoError(t, err)
	require.True(t, there)
	f.StoredAt = f.StoredAt.UTC()
	require.Equal(t, reporting.File{ID: "fileId", Name: "fileName", ContentType: "application/zip", Blob: "blob", SHA256: "sha256",
		StoredAt: second(13)}, f)
	_, there, err = reporting.NewFiles(w.DB).Named(t.Context(), "other")
	require.NoError(t, err)
	require.False(t, there)
}
