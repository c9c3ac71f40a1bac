//go:build !apache

package node_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/parley-platform/parley/domain/fault"
)

const settingsPath = "/api/projects/" + mainApp + "/settings"

// settings are those of a project, nil where there are none.
func (a *answer) settings(t *testing.T) map[string]any {
	t.Helper()
	var out struct {
		Success  bool
		Settings map[string]any
	}
	a.must(t, 200).into(t, &out)
	require.True(t, out.Success)
	return out.Settings
}

func TestEveryChangeOfAProjectsSettingsIsAVersion(t *testing.T) {
	t.Parallel()
	w := newChatWorld(t)
	require.Nil(t, w.ask(t, "GET", settingsPath, nil).settings(t))
	slow := settingsOf(fields{"models": fields{"default": "local", "tiers": fields{"fast": []string{"local"}}},
		"languages": fields{"default": "de-AT", "allowed": []string{"de", "en"}}, "limits": fields{"messagesPerMinute": 5},
		"budgets": fields{"monthUsd": 20}, "sessions": fields{"idleMinutes": 30}})
	require.Contains(t, w.posted(t, nil, slow).must(t, 200).Text, `"outcome":"created"`)
	first := w.ask(t, "GET", settingsPath, nil).settings(t)
	require.Regexp(t, `^ps-[0-9a-f-]{36}$`, first["id"])
	require.Equal(t, map[string]any{"id": first["id"], "projectId": mainApp, "version": "1",
		"models":    map[string]any{"default": "local", "tiers": map[string]any{"fast": []any{"local"}}},
		"languages": map[string]any{"default": "de-AT", "allowed": []any{"de", "en"}}, "limits": map[string]any{"messagesPerMinute": 5.},
		"budgets": map[string]any{"monthUsd": 20.}, "sessions": map[string]any{"idleMinutes": 30.},
		"createdAt": first["createdAt"], "createdBy": first["createdBy"]}, first)
	require.NotEmpty(t, first["createdBy"])

	require.Contains(t, w.posted(t, nil, slow).must(t, 200).Text, `"outcome":"unchanged"`)
	require.Equal(t, first, w.ask(t, "GET", settingsPath, nil).settings(t))
	require.Contains(t, w.posted(t, nil, settingsOf(nil)).must(t, 200).Text, `"outcome":"changed"`)
	require.Equal(t, "2", w.ask(t, "GET", settingsPath, nil).settings(t)["version"])

	var list struct {
		Success    bool
		Versions   []map[string]any
		Pagination map[string]any
	}
	w.ask(t, "GET", settingsPath+"/versions?limit=1&offset=1", nil).must(t, 200).into(t, &list)
	require.True(t, list.Success)
	require.Equal(t, []map[string]any{first}, list.Versions, "it stays as it was")
	require.EqualValues(t, 2, list.Pagination["total"])

	for _, path := range []string{settingsPath, settingsPath + "/versions"} {
		w.on.do(t, "GET", path, nil).refused(t, 401, fault.Unauthorized)
	}
	w.ask(t, "GET", "/api/projects/nowhere/settings", nil).refused(t, 404, fault.NotFound)
	require.Nil(t, newChatWorld(t).ask(t, "GET", settingsPath, nil).settings(t), "another account's project of that name")
	for field, spec := range map[string]fields{
		"spec.models.default":           {"models": fields{"default": "a b"}},
		"spec.models.tiers.fast":        {"models": fields{"tiers": fields{"fast": []string{"a", "a"}}}},
		"spec.languages.allowed":        {"languages": fields{"allowed": []string{"?"}}},
		"spec.languages.default":        {"languages": fields{"default": "fr", "allowed": []string{"de"}}},
		"spec.limits.messagesPerMinute": {"limits": fields{"messagesPerMinute": 0}},
		"spec.budgets.monthUsd":         {"budgets": fields{"monthUsd": 0}},
		"spec.budgets.sessionUsd":       {"budgets": fields{"sessionUsd": 10_001}},
		"spec.sessions.idleMinutes":     {"sessions": fields{"idleMinutes": 1}},
		"spec.projectId":                {"projectId": "nowhere"},
	} {
		w.posted(t, nil, settingsOf(spec)).refused(t, 400, fault.Validation, "manifests[0] "+field)
	}
}

func TestSettingsChooseModels(t *testing.T) {
	t.Parallel()
	w, peer := newChatWorld(t), newModelPeer(t, "openai.sse")
	w.posted(t, nil, ownProvider(peer, "sk", nil)).must(t, 200)
	for _, c := range []struct {
		models, ask fields
		model       string
	}{
		{nil, nil, "own-large"},
		{fields{"default": "local"}, nil, "local"},
		{fields{"default": "local"}, fields{"tier": "fast"}, "own-small"},
		{fields{"defaultTier": "fast"}, nil, "own-small"},
		{fields{"tiers": fields{"balanced": []string{"nothing", "own-small", "local"}}}, nil, "own-small"},
		{fields{"tiers": fields{"powerful": []string{"own-large"}}}, fields{"tier": "powerful"}, "own-large"},
	} {
		spec := fields{}
		if c.models != nil {
			spec["models"] = c.models
		}
		w.posted(t, nil, settingsOf(spec)).must(t, 200)
		var got shownCompletion
		w.ask(t, "POST", completePath, chatBody(c.ask)).must(t, 200).into(t, &got)
		require.Equal(t, c.model, got.Model, "%v", c)
	}
	w.posted(t, nil, settingsOf(fields{"models": fields{"default": "nothing"}})).must(t, 200)
	w.ask(t, "POST", completePath, chatBody(nil)).refused(t, 503, fault.Unavailable)
	w.posted(t, nil, settingsOf(fields{"models": fields{"tiers": fields{"balanced": []string{"nothing"}}}})).must(t, 200)
	w.ask(t, "POST", completePath, chatBody(nil)).refused(t, 503, fault.Unavailable)
}

func TestSettingsBoundSessionsAndMessages(t *testing.T) {
	t.Parallel()
	w := newTalkWorld(t)
	w.deploy(t, "dev")
	talk := func(more fields) *answer {
		return w.ask(t, "POST", "/api/v1/chat/agent", fields{"projectId": mainApp, "message": "Hi"}.and(more))
	}
	say := func(session string) *answer { return talk(fields{"sessionId": session}) }
	var said chatAnswer
	talk(fields{"language": "fr"}).must(t, 200).into(t, &said)
	w.posted(t, nil, settingsOf(fields{"languages": fields{"default": "de-AT", "allowed": []string{"de", "en"}},
		"limits": fields{"messagesPerMinute": 4, "concurrentSessions": 3}})).must(t, 200)
	begun := time.Now()
	say(said.SessionID).must(t, 200) // half of it on each of two nodes; though nobody may begin in French any more
	say(said.SessionID).must(t, 200)
	limited := func(ask func() *answer) { // two a minute: one more for each half of one that has passed
		t.Helper()
		for more := 0; ; more++ {
			got := ask()
			if got.Status != 200 || more >= int(time.Since(begun)/(30*time.Second)) {
				got.refused(t, 429, fault.RateLimit)
				return
			}
		}
	}
	limited(func() *answer { return say(said.SessionID) })

	talk(fields{"language": "fr"}).refused(t, 400, fault.Validation, "language")
	w.ask(t, "POST", sessionsPath, fields{"agentId": "meter", "language": "fr"}).refused(t, 400, fault.Validation, "language")
	talk(nil).must(t, 200).into(t, &said)
	var session struct{ Session struct{ Language string } }
	w.ask(t, "GET", sessionsPath+"/"+said.SessionID, nil).must(t, 200).into(t, &session)
	require.Equal(t, "de-AT", session.Session.Language)
	w.begin(t, "meter")
	talk(nil).refused(t, 429, fault.RateLimit)
	w.ask(t, "POST", sessionsPath, fields{"agentId": "meter"}).refused(t, 429, fault.RateLimit)
	w.ask(t, "DELETE", sessionsPath+"/"+said.SessionID, nil).must(t, 200)
	talk(nil).must(t, 200)

	asks := func() *answer {
		return w.ask(t, "POST", completePath, chatBody(fields{"sessionId": "of-a-completion"}))
	}
	begun = time.Now()
	asks().must(t, 200)
	asks().must(t, 200)
	limited(asks)
}

// Given a deployment that names a version of settings, then that one holds in its sessions,
// whatever came behind it; in those of others the newest does.
func TestADeploymentGoesByAVersionOfSettings(t *testing.T) {
	t.Parallel()
	w := newTalkWorld(t)
	w.posted(t, nil, settingsOf(fields{"languages": fields{"allowed": []string{"de"}}})).must(t, 200)
	german := w.ask(t, "GET", settingsPath, nil).settings(t)["id"]
	pinned := w.deploy(t, "dev", fields{"settingsVersionId": german})
	require.Equal(t, german, pinned["settingsVersionId"])
	free := w.deploy(t, "staging")
	require.NotContains(t, free, "settingsVersionId")
	w.posted(t, nil, settingsOf(fields{"languages": fields{"allowed": []string{"fr"}}})).must(t, 200)

	begin := func(environment, language string) *answer {
		return w.ask(t, "POST", "/api/v1/chat/agent", fields{"projectId": mainApp, "message": "Hi", "environment": environment,
			"language": language})
	}
	begin("dev", "de").must(t, 200)
	begin("dev", "fr").refused(t, 400, fault.Validation, "language")
	begin("staging", "fr").must(t, 200)
	begin("staging", "de").refused(t, 400, fault.Validation, "language")

	shown := w.ask(t, "GET", path(pinned), nil).must(t, 200).deployment(t)
	require.Equal(t, german, shown["settingsVersionId"])
	require.Contains(t, shown["changes"], map[string]any{"what": "settings", "name": german, "from": "", "to": german})
	require.Contains(t, w.ask(t, "GET", agentDeployments+"?environment=dev", nil).must(t, 200).Text, german.(string))
	promoted := w.ask(t, "POST", path(pinned)+"/promote", fields{"targetEnvironment": "production"}).must(t, 201).deployment(t)
	require.Equal(t, german, promoted["settingsVersionId"])
	require.Equal(t, german, w.ask(t, "POST", path(pinned)+"/retire", nil).must(t, 200).deployment(t)["settingsVersionId"])
	require.Equal(t, german, w.ask(t, "POST", path(pinned)+"/rollback", nil).must(t, 200).deployment(t)["settingsVersionId"])

	stranger := newTalkWorld(t)
	for _, id := range []any{german, "ps-none", "no id"} {
		stranger.ask(t, "POST", agentDeployments, fields{"environment": "dev", "entryAgentName": "meter", "agentVersionManifest": "auto",
			"settingsVersionId": id}).refused(t, 400, fault.Validation, "settingsVersionId")
	}
}

// Given a bound of sessions, when many begin at once, then as many begin as there is room for; and tries of one that has the last
// place are all that one.
func TestNoMoreSessionsBeginAtOnceThanThereIsRoomFor(t *testing.T) {
	t.Parallel()
	w := newTalkWorld(t)
	w.deploy(t, "dev")
	w.posted(t, nil, settingsOf(fields{"limits": fields{"concurrentSessions": 5}})).must(t, 200)
	talks := func(headers ...string) *answer {
		return w.ask(t, "POST", "/api/v1/chat/agent", fields{"projectId": mainApp, "message": "Hi"}, headers...)
	}
	statuses, answers := map[int]int{}, make([]*answer, 20)
	together(20, func(i int) { answers[i] = talks() })
	for _, got := range answers {
		statuses[got.Status]++
	}
	require.Equal(t, map[int]int{200: 5, 429: 15}, statuses)

	w.posted(t, nil, settingsOf(fields{"limits": fields{"concurrentSessions": 6}})).must(t, 200)
	begun := map[string]bool{}
	together(6, func(i int) { answers[i] = talks("Idempotency-Key", "the last place") })
	for _, got := range answers[:6] {
		var said chatAnswer
		got.must(t, 200).into(t, &said)
		begun[said.SessionID] = true
	}
	require.Len(t, begun, 1)
	talks().refused(t, 429, fault.RateLimit)
}
