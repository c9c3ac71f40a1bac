package runtime_test

import (
	"context"
	"testing"
	"time"

	"github.com/jackc/pgx/v5/pgxpool"
	"github.com/stretchr/testify/require"

	"github.com/parley-platform/parley/domain/deployments"
	"github.com/parley-platform/parley/domain/fault"
	"github.com/parley-platform/parley/domain/projectsettings"
	"github.com/parley-platform/parley/domain/sessions"
	"github.com/parley-platform/parley/projections"
	given "github.com/parley-platform/parley/projections/projectiontest"
	"github.com/parley-platform/parley/projections/runtime"
	"github.com/parley-platform/parley/projections/voice"
)

// settingsOf are a version whose only choice is how many messages a session may have in a minute.
func settingsOf(version, perMinute int, id string) projectsettings.Changed {
	return projectsettings.Changed{TenantID: "t", ProjectID: "p", Version: version, VersionID: id, At: given.Noon,
		Settings: projectsettings.Settings{Limits: projectsettings.Limits{MessagesPerMinute: perMinute}}}
}

// Given a session, when something is to be said in it, then its deployment is found with it, and the settings that hold
// are known from then on, those of the deployment and the newest, whoever asks in the same piece of work.
func TestWhatAMessageAsksComesWithItsSession(t *testing.T) {
	w := given.Open(t)
	w.Given(runtime.ProjectSettingsModel, "t.p", settingsOf(1, 7, "ps-1"), settingsOf(2, 9, "ps-2"))
	deployed := func(id, settings string) deployments.Created {
		return deployments.Created{DeploymentID: id, TenantID: "t", ProjectID: "p", At: given.Noon, What: deployments.What{Environment: "dev",
			EntryAgent: "a", SettingsVersionID: settings, Manifest: map[string]deployments.Pin{"a": {Version: 3, Hash: "h"}}}}
	}
	w.Given(runtime.DeploymentsModel, "t.p", deployed("d-1", "ps-1"), deployed("d-2", ""))
	open := func(id, deployment string) {
		w.Given(voice.SessionsModel, id, sessions.Opened{SessionID: id, TenantID: "t", ProjectID: "p", Channel: "api", AgentName: "a",
			At: given.Noon, Begun: &sessions.Begun{DeploymentID: deployment}})
	}
	open("s-1", "d-1")
	open("s-2", "d-2")
	open("s-3", "")
	open("s-4", "d-9")
	s, settings := runtime.NewSessions(w.DB), runtime.NewProjectSettings(w.DB)

	talk := func(ctx context.Context, id string) runtime.Talk {
		found, ok, err := s.ToTalk(ctx, "t", id)
		require.NoError(t, err)
		require.True(t, ok, id)
		return found
	}
	perMinute := func(ctx context.Context, deployment string) int {
		held, err := settings.Held(ctx, "t", "p", deployment)
		require.NoError(t, err)
		return held.Limits.MessagesPerMinute
	}
	work := projections.OneWork(t.Context())
	first := talk(work, "s-1")
	require.Equal(t, []any{"s-1", "p", "d-1", "a"}, []any{first.SessionID, first.ProjectID, first.DeploymentID, first.AgentName})
	require.Equal(t, map[string]sessions.Pinned{"a": {Version: 3, Hash: "h"}}, first.Pinned())
	require.NoError(t, first.Serves(given.Noon))
	w.Given(runtime.ProjectSettingsModel, "t.p", settingsOf(3, 11, "ps-3"))
	require.Equal(t, 7, perMinute(work, "d-1"), "those that the deployment names")
	require.Equal(t, 9, perMinute(work, ""), "they came with the session, and are not asked for once more")
	require.Equal(t, 11, perMinute(projections.OneWork(t.Context()), ""), "by another piece of work they are")

	for session, deployment := range map[string]string{"s-2": "d-2", "s-3": "", "s-4": "d-9"} {
		work := projections.OneWork(t.Context())
		talk(work, session)
		require.Equal(t, 11, perMinute(work, deployment), "the newest, where none are named: "+session)
	}
	work = projections.OneWork(t.Context())
	require.Equal(t, 7, perMinute(work, "d-1"))
	w.Given(runtime.ProjectSettingsModel, "t.p", settingsOf(4, 13, "ps-4"))
	require.Equal(t, 11, perMinute(work, ""), "the newest came with those of the deployment")
	require.Equal(t, 7, perMinute(t.Context(), "d-1"))
	require.Equal(t, 13, perMinute(t.Context(), ""))
	require.True(t, fault.Is(talk(t.Context(), "s-4").Serves(given.Noon), fault.NotFound), "a deployment that there is not")

	w.Given(runtime.DeploymentsModel, "t.p", deployments.WasRetired{DeploymentID: "d-1", DrainAt: given.Noon.Add(time.Hour), At: given.Noon})
	require.NoError(t, talk(t.Context(), "s-1").Serves(given.Noon.Add(time.Minute)))
	require.True(t, fault.Is(talk(t.Context(), "s-1").Serves(given.Noon.Add(2*time.Hour)), fault.Gone))

	for _, none := range [][2]string{{"u", "s-1"}, {"t", "s-9"}} {
		_, ok, err := s.ToTalk(t.Context(), none[0], none[1])
		require.NoError(t, err)
		require.False(t, ok, none)
	}
}

// Given a project that has chosen nothing, then that is known with the session too.
func TestAProjectWithoutSettingsIsNotAskedAgain(t *testing.T) {
	w := given.Open(t)
	w.Given(voice.SessionsModel, "s-1", sessions.Opened{SessionID: "s-1", TenantID: "t", ProjectID: "p", Channel: "api", At: given.Noon})
	work := projections.OneWork(t.Context())
	_, _, err := runtime.NewSessions(w.DB).ToTalk(work, "t", "s-1")
	require.NoError(t, err)
	held, err := runtime.NewProjectSettings(nil).Held(work, "t", "p", "")
	require.NoError(t, err, "nobody is asked")
	require.Zero(t, held)
}

// Given a message after the other, then what they ask for is not planned anew for each.
func TestWhatAMessageAsksIsPlannedOnce(t *testing.T) {
	given.Open(t).KeepsPlans(func(db *pgxpool.Pool) {
		_, ok, err := runtime.NewSessions(db).ToTalk(t.Context(), "t", "s-1")
		require.NoError(t, err)
		require.False(t, ok)
	})
}
