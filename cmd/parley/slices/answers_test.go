package slices_test

import (
	"testing"
	"time"

	"github.com/jackc/pgx/v5/pgxpool"
	"github.com/stretchr/testify/require"

	"github.com/parley-platform/parley/domain/deployables"
	"github.com/parley-platform/parley/domain/humanagents"
	"github.com/parley-platform/parley/domain/staff"
	accessmodels "github.com/parley-platform/parley/projections/access"
	campaignmodels "github.com/parley-platform/parley/projections/campaigns"
	"github.com/parley-platform/parley/projections/channels"
	"github.com/parley-platform/parley/projections/contactcenter"
	"github.com/parley-platform/parley/projections/reporting"
	"github.com/parley-platform/parley/projections/runtime"
	"github.com/parley-platform/parley/projections/voice"
)

// away is a database that does not answer.
func away(t *testing.T) *pgxpool.Pool {
	t.Helper()
	db, err := pgxpool.New(t.Context(), "postgres://localhost:1/nowhere")
	require.NoError(t, err)
	db.Close()
	return db
}

// Given a database that does not answer, when anything is asked, then the answer is an
// error that says what was being done: never an empty answer.
func TestAnswersAreNeverEmptyForWantOfADatabase(t *testing.T) {
	db, ctx := away(t), t.Context()
	texts, setup, voicemails := channels.NewTexts(db), voice.NewSetups(db), contactcenter.NewVoicemails(db)
	people, transfers, campaigns, runs := accessmodels.NewStaff(db), contactcenter.NewTransfers(db), campaignmodels.NewCampaigns(db),
		campaignmodels.NewRuns(db, nil)
	access, calls, details, told := accessmodels.NewAccess(db), voice.NewCalls(db), contactcenter.NewCallDetails(db),
		contactcenter.NewConversations(db)
	talked, asked, now := runtime.NewSessions(db), runtime.NewCompletions(db), time.Now()
	agents, dock, chosen := contactcenter.NewHumanAgents(db), runtime.NewDocks(db), runtime.NewProjectSettings(db)
	suites, connected, widgets := runtime.NewTestSuites(db), channels.NewConnections(db), channels.NewSDKChannels(db)
	for doing, ask := range map[string]func() error{
		"listing connections":                 func() error { return fail3(connected.List(ctx, channels.ConnectionQuery{})) },
		"reading a connection":                func() error { return fail3(connected.Get(ctx, "t", "p", "cn-1")) },
		"listing SDK channels":                func() error { return fail3(widgets.List(ctx, "t", "p", 1, 0)) },
		"reading an SDK channel":              func() error { return fail3(widgets.Get(ctx, "t", "p", "sdk-1")) },
		"looking for an SDK channel":          func() error { return fail3(widgets.OfKey(ctx, "t", "ak-1", true)) },
		"looking for an SDK channel:":         func() error { return fail3(widgets.WithKey(ctx, "t", "sdk-1")) },
		"looking for an origin":               func() error { return fail2(access.Listed(ctx, "https://shop.example")) },
		"reading an API key:":                 func() error { return fail3(access.Key(ctx, "t", "ak-1")) },
		"listing messages":                    func() error { return fail3(texts.List(ctx, channels.TextQuery{})) },
		"reading what a call needs":           func() error { return fail2(setup.CallSetup(ctx, "t", "p", "", "")) },
		"looking for a session":               func() error { return fail2(voicemails.HasSession(ctx, "t", "p", "s")) },
		"looking for a voicemail":             func() error { return fail2(voicemails.Has(ctx, "t", "p", "v")) },
		"reading the voicemails of a session": func() error { return fail2(voicemails.Of(ctx, "t", "p", "s")) },
		"listing roles":                       func() error { return fail3(people.Roles(ctx, "t", staff.RoleType("admin"), 1, 0)) },
		"listing users":                       func() error { return fail3(people.Users(ctx, "t", 1, 0)) },
		"listing transfers":                   func() error { return fail3(transfers.List(ctx, "t", "p", "", 1, 0)) },
		"reading transfers":                   func() error { return fail2(transfers.OfSessions(ctx, "t", "p", nil)) },
		"reading transfers ":                  func() error { return fail2(transfers.OfSession(ctx, "t", "s")) },
		"reading transfers:":                  func() error { return fail2(transfers.OfConversation(ctx, "t", "p", "c")) },
		"looking for a conversation":          func() error { return fail2(transfers.HasConversation(ctx, "t", "p", "c")) },
		"looking for other ids":               func() error { return fail2(transfers.Aliases(ctx, "t", "p", "c", "s")) },
		"looking for agents who had":          func() error { return fail2(transfers.Served(ctx, "t", "s", "u")) },
		"looking for lines":                   func() error { return fail2(transfers.Lines(ctx, "t")) },
		"reading a session":                   func() error { return fail3(transfers.Session(ctx, "t", "p", "s")) },
		"reading campaign cd-1":               func() error { return fail3(campaigns.Get(ctx, "t", "p", "cd-1")) },
		"reading the verdicts of a campaign":  func() error { return fail2(campaignmodels.NewVerdicts(db).Of(ctx, "t", "p", "cd-1", "")) },
		"listing campaigns":                   func() error { return fail3(campaigns.List(ctx, "t", "p", 1, 0)) },
		"reading an experience flow":          func() error { return fail3(campaigns.FlowNamed(ctx, "t", "p", "f")) },
		"summing runs":                        func() error { return fail2(runs.RunTotals(ctx, "t", nil)) },
		"reading a run":                       func() error { return fail3(runs.Run(ctx, "t", "c", "i")) },
		"reading contact lists":               func() error { return fail2(runs.Lists(ctx, "t", "p", 1)) },
		"reading the terms of run i":          func() error { return fail2(runs.Terms(ctx, "t", "i", nil)) },
		"counting contacts":                   func() error { return fail2(campaignmodels.NewContactLists(db).Counts(ctx, "t", "p", nil)) },
		"counting open deliveries":            func() error { return fail2(channels.NewDeliveries(db).Open(ctx)) },
		"reading an export job":               func() error { return fail3(reporting.NewExports(db).Job(ctx, "t", "p", "j")) },
		"reading where a file lies":           func() error { return fail3(reporting.NewFiles(db).Named(ctx, "f")) },
		"looking for the tool t":              func() error { return fail2(dock.Defined(ctx, "t", "p", deployables.Tool, "t")) },
		"reading what is deployed": func() error {
			return fail3(runtime.NewDockVersions(db).Live(ctx, "t", "p", deployables.Tool, "t"))
		},
		"reading which workflow a deployment serves": func() error {
			return fail3(runtime.NewDockVersions(db).Served(ctx, "t", "p", "d", "w"))
		},
		"reading the versions of workflows": func() error {
			return fail2(runtime.NewDockVersions(db).Workflows(ctx, "t", "p"))
		},
		"listing workflows and tools":         func() error { return fail2(dock.List(ctx, "t", "p", 1)) },
		"listing working copies":              func() error { return fail2(runtime.NewAgents(db).WorkingCopies(ctx, "t", "p", 1)) },
		"reading working copies":              func() error { return fail2(runtime.NewAgents(db).WorkingSources(ctx, "t", "p", nil)) },
		"reading a deployment job":            func() error { return fail3(dock.Job(ctx, "t", "p", deployables.Tool, "t", "j")) },
		`reading widget "w" of dashboard "d"`: func() error { return fail3(reporting.NewDashboards(db).Widget(ctx, "t", "p", "d", "w")) },
		"project p: reading the search index": func() error { return fail2(reporting.NewSearchIndexes(db).Of(ctx, "t", "p")) },
		"reading providers of models":         func() error { return fail2(runtime.NewModelProviders(db).Of(ctx, "t", "p")) },
		"reading the settings of a project":   func() error { return fail3(chosen.Newest(ctx, "t", "p")) },
		"reading a version of the settings":   func() error { return fail3(chosen.Version(ctx, "t", "p", "v")) },
		"listing versions of the settings":    func() error { return fail3(chosen.Versions(ctx, "t", "p", 1, 0)) },
		"reading the settings that hold":      func() error { return fail2(chosen.Held(ctx, "t", "p", "d")) },
		"looking for a test suite":            func() error { return fail3(suites.Named(ctx, "t", "p", "s")) },
		"listing test suites":                 func() error { return fail3(suites.List(ctx, "t", "p", 1, 0)) },
		"reading a run of a test suite":       func() error { return fail3(suites.Run(ctx, "t", "p", "s", "ctr-1")) },
		"reading the cases of a run":          func() error { return fail2(suites.NotPassed(ctx, "ctr-1", 1)) },
		"listing generations":                 func() error { return fail3(asked.Generations(ctx, runtime.GenerationQuery{})) },
		"reading sessions that go on":         func() error { return fail3(talked.ToTalk(ctx, "t", "s")) },
		"summing up the models of a session":  func() error { return fail2(asked.OfSession(ctx, "t", "p", "s")) },
		"listing sessions by their beginning": func() error { return fail2(talked.Begun(ctx, "t", "p", now, now, runtime.Session{}, 1)) },
		"listing calls":                       func() error { return fail3(calls.List(ctx, "t", "p", "", 1, 0)) },
		"reading a call:":                     func() error { return fail3(calls.Of(ctx, "t", "p", "c")) },
		"reading a room":                      func() error { return fail3(calls.Room(ctx, "p", "r")) },
		"looking for the room of a session":   func() error { return fail3(calls.RoomIn(ctx, "t", "s")) },
		"looking for the last room":           func() error { return fail3(calls.RoomOf(ctx, "t", "p", "s")) },
		"counting rooms":                      func() error { return fail2(calls.Rooms(ctx, "p")) },
		"reading call details":                func() error { return fail3(details.Ended(ctx, contactcenter.Ended{})) },
		"reading conversations":               func() error { return fail3(told.Find(ctx, "t", "p", "c")) },
		"looking for a conversation ":         func() error { return fail2(told.Exists(ctx, "t", "p", "c")) },
		"reading a call":                      func() error { return fail3(told.Call(ctx, "t", "p", "c")) },
		"reading conversations:":              func() error { return fail2(told.ByConversationOrSession(ctx, "t", "p", nil)) },
		"listing conversations":               func() error { return fail3(told.List(ctx, "t", "p", "", 1, 0)) },
		"reading the messages ":               func() error { return fail3(told.Messages(ctx, "t", "p", "c", 1, 0)) },
		"reading the messages":                func() error { return fail2(told.Transcript(ctx, "s", 1, 1)) },
		"looking for a session ":              func() error { return fail2(told.SessionExists(ctx, "t", "p", "s")) },
		"reading a client":                    func() error { return fail3(access.Client(ctx, "t", "c")) },
		"reading an API key":                  func() error { return fail3(access.APIKey(ctx, "h")) },
		"reading a project":                   func() error { return fail3(access.Project(ctx, "t", "p")) },
		"reading a tenant":                    func() error { _, _, _, err := access.Tenant(ctx, "t"); return err },
		"reading a scope":                     func() error { return fail3(access.Scope(ctx, "t", "s")) },
		"reading a scope ":                    func() error { return fail3(access.ScopeNamed(ctx, "t", "p", "s")) },
		"reading an API key ":                 func() error { _, _, _, err := access.KeyScope(ctx, "t", "k"); return err },
		"asking what a request did":           func() error { return fail2(access.ScopeOfRequest(ctx, "t", "r")) },
		"reading the organisation":            func() error { return fail3(agents.Organisation(ctx, "t")) },
		"looking for human agents":            func() error { return fail2(agents.Named(ctx, "t", []string{"a"})) },
		"looking for the agents":              func() error { return fail2(agents.Holding(ctx, "t", "c")) },
		"reading a human agent":               func() error { return fail3(agents.Agent(ctx, "t", "a")) },
		"listing human agents":                func() error { return fail2(agents.List(ctx, "t", "o", 1, true)) },
		"reading a queue":                     func() error { return fail3(agents.Queue(ctx, "t", "q")) },
		"looking for an agent of queue q":     func() error { return fail2(agents.Candidates(ctx, "t", "q", humanagents.Voice, nil, nil)) },
	} {
		err := ask()
		require.Error(t, err, doing)
		require.ErrorContains(t, err, "closed pool", doing)
		require.Contains(t, err.Error()+": ", trimmed(doing), "what was being done")
	}
}

func fail2[A any](_ A, err error) error { return err }

func fail3[A, B any](_ A, _ B, err error) error { return err }

// trimmed is the text without what makes it another key of the table.
func trimmed(doing string) string {
	for len(doing) > 0 && (doing[len(doing)-1] == ' ' || doing[len(doing)-1] == ':') {
		doing = doing[:len(doing)-1]
	}
	return doing
}
