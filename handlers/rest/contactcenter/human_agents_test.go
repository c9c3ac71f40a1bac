package contactcenter_test

import (
	"encoding/json"
	"errors"
	"maps"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/parley-platform/parley/domain/access"
	"github.com/parley-platform/parley/domain/humanagents"
	"github.com/parley-platform/parley/domain/queues"
	"github.com/parley-platform/parley/handlers/rest/resttest"
	models "github.com/parley-platform/parley/projections/contactcenter"
)

const (
	maria = "/agentassist/api/v1/public/main/agents/a-maria"
	staff = "/agentassist/api/v1/public/main/organizations/acme-org/agents"
)

// hired is Maria on the log and in the read model, and Ben with another e-mail.
func hired(w *resttest.Stored, f *floor) humanagents.Record {
	record := humanagents.Record{ID: "a-maria", UserID: "u-1", AccountID: "acme", OrgID: "acme-org", RoleID: "r-1", IID: "main",
		AgentGroupID: "g-1",
		FirstName:    "Maria", LastName: "Keller", EmailID: "maria@acme.example", FullName: "Maria Keller", LFullName: "maria keller",
		Status:                "ACTIVE",
		MaxDigitalChatSupport: 3}
	ben := record
	ben.ID, ben.EmailID = "a-ben", "ben@acme.example"
	for _, r := range []humanagents.Record{record, ben} {
		resttest.Given(w, humanagents.Organisations, humanagents.OrganisationStream("acme", "acme-org"), humanagents.HumanAgentDefined{
			TenantID: "acme", OrgID: "acme-org", HumanAgentID: r.ID, Agent: r, Declared: r, CreatedAt: noon, UpdatedAt: noon})
	}
	f.agents["acme/a-maria"] = models.HumanAgent{Record: record, Standing: models.Standing{CreatedAt: noon, UpdatedAt: noon,
		Presence: humanagents.Available, PresenceName: "Here"}}
	return record
}

// update is Maria as a request says her, with members changed.
func update(changes map[string]any) string {
	members := map[string]any{"id": "a-maria", "accountId": "acme", "orgId": "acme-org", "userId": "u-1", "roleId": "r-1", "iId": "main",
		"agentGroupId": "g-1", "firstName": "Maria", "lastName": "Keller", "emailId": "maria@acme.example"}
	maps.Copy(members, changes)
	raw, _ := json.Marshal(members)
	return string(raw)
}

func account(more ...string) []string { return append([]string{"accountId", "acme"}, more...) }

func TestAHumanAgentIsUpdated(t *testing.T) {
	w, f := newFloor(t)
	want := hired(w, f)
	w.Now = noon.Add(time.Hour)
	w.Token = w.Grant("acme", []access.ClientScope{access.ScopeAssistAnalytics})
	got := w.Ask("PUT", maria, update(map[string]any{"lastName": "Kaiser", "nickName": "Mia", "onlineStatus": "ignored"}), account()...)
	require.Equal(t, 200, got.Status, got.Text)
	e := resttest.Only[humanagents.HumanAgentUpdated](w, humanagents.Organisations.Category)
	require.Equal(t, []string{"Kaiser", "Mia", "ACTIVE"}, []string{e.Agent.LastName, e.Agent.NickName, e.Agent.Status}, "what is absent stays")
	require.Equal(t, []any{"acme", "acme-org", "a-maria", noon, w.Now}, []any{e.TenantID, e.OrgID, e.HumanAgentID, e.CreatedAt, e.UpdatedAt})
	var shown map[string]any
	got.Decode(t, &shown)
	require.Equal(t, []any{"a-maria", "Kaiser", "Mia", want.EmailID, 3.0, "Here", "AVAILABLE", "2025-03-01T12:00:00.000Z",
		"2025-03-01T13:00:00.000Z"}, []any{shown["id"], shown["lastName"], shown["nickName"], shown["emailId"], shown["maxChatSupport"],
		shown["onlineStatus"], shown["onlineStatusType"], shown["createdAt"], shown["updatedAt"]}, "the answer is what was accepted")

	require.Equal(t, 200, w.Ask("PUT", maria, update(map[string]any{"lastName": "Kaiser"}), account()...).Status)
	require.Empty(t, w.Since(), "nothing is new")
}

func TestAnUpdateOfAHumanAgentIsMadeOnceForAKey(t *testing.T) {
	w, f := newFloor(t)
	hired(w, f)
	change := update(map[string]any{"lastName": "Kaiser"})
	first := w.Ask("PUT", maria, change, account("Idempotency-Key", "one")...)
	again := w.Ask("PUT", maria, change, account("Idempotency-Key", "one")...)
	require.Equal(t, []any{200, first.Text, "true"}, []any{again.Status, again.Text, again.Header.Get("Idempotency-Replayed")})
	require.Len(t, w.Since(), 1)
	w.Refused(w.Ask("PUT", maria, update(nil), account("Idempotency-Key", "one")...), 409)
}

func TestWhatIsWrongWithAHumanAgent(t *testing.T) {
	w, f := newFloor(t)
	hired(w, f)
	for _, c := range []struct {
		wrong  map[string]any
		status int
		fields []string
	}{
		{map[string]any{"id": "a-ben"}, 400, []string{"id"}},
		{map[string]any{"accountId": "globex"}, 400, []string{"accountId"}},
		{map[string]any{"orgId": "globex-org"}, 400, []string{"orgId"}},
		{map[string]any{"iId": "p-2"}, 400, []string{"iId"}},
		{map[string]any{"id": "a-ben", "orgId": "x", "iId": "unknown"}, 400, []string{"iId", "id", "orgId"}},
		{map[string]any{"emailId": "nobody"}, 400, []string{"emailId"}},
		{map[string]any{"firstName": ""}, 400, []string{"firstName"}},
		{map[string]any{"status": "active"}, 400, []string{"status"}},
		{map[string]any{"emailId": "BEN@acme.example"}, 409, nil},
		{map[string]any{"iId": "broken"}, 500, nil},
	} {
		w.Refused(w.Ask("PUT", maria, update(c.wrong), account()...), c.status, c.fields...)
	}
	require.Contains(t, w.Ask("PUT", maria, update(map[string]any{"id": "a-ben"}), account()...).Text,
		"is not the one of the agent in the path")
	w.Refused(w.Ask("PUT", maria, "{}", account()...), 400, "accountId", "agentGroupId", "emailId", "firstName", "iId", "id", "lastName",
		"orgId",
		"roleId", "userId")
}

func TestWhoseHumanAgentsTheyAre(t *testing.T) {
	w, f := newFloor(t)
	hired(w, f)
	f.agents["globex/a-eve"] = f.agents["acme/a-maria"]
	path := func(project, id string) string { return "/agentassist/api/v1/public/" + project + "/agents/" + id }
	for _, c := range []struct {
		path    string
		headers []string
		status  int
		fields  []string
	}{
		{path("p-1", "a-maria"), account(), 200, nil}, {path("p-1", "a-eve"), account(), 404, nil}, {path("p-1", "a%20b"), account(), 404, nil},
		{path("p-2", "a-maria"), account(), 404, nil}, {path("p-1", "a-maria"), []string{"accountId", "globex"}, 404, nil},
		{path("p-1", "a-maria"), nil, 400, []string{"accountId"}},
	} {
		got := w.Ask("GET", c.path, "", c.headers...)
		require.Equal(t, c.status, got.Status, c.path)
		require.Equal(t, c.fields, got.Fields())
		if c.status == 404 {
			w.Refused(w.Ask("PUT", c.path, "{}", c.headers...), 404)
			w.Refused(w.Ask("PUT", c.path+"/presence", "{}", c.headers...), 404)
		}
	}
	f.down["Agent"] = errors.New("relation does not exist")
	w.Refused(w.Ask("GET", maria, "", account()...), 500)
	delete(f.down, "Agent")
	w.Token = w.Grant("acme", []access.ClientScope{access.ScopeRouting})
	w.Refused(w.Ask("PUT", maria, update(nil), account()...), 403)
	w.Refused(w.Ask("GET", maria, "", account()...), 403)
	w.Refused(w.Ask("GET", staff, "", account()...), 403)
	require.Equal(t, 200, w.Ask("PUT", maria+"/presence", `{"onlineStatusType":"AWAY"}`, account()...).Status, "who routes says who is there")
	w.Since()
	w.Token = w.Grant("acme", []access.ClientScope{access.ScopeAssistVoicemail})
	w.Refused(w.Ask("PUT", maria+"/presence", `{"onlineStatusType":"AWAY"}`, account()...), 403)
}

// One who has all the conversations of a kind is shown as busy; nobody else is.
func TestWhoIsShownAsBusy(t *testing.T) {
	w, f := newFloor(t)
	hired(w, f)
	for _, c := range []struct {
		presence humanagents.PresenceType
		full     bool
		shown    []string
	}{
		{humanagents.Available, false, []string{"Here", "AVAILABLE"}},
		{humanagents.Available, true, []string{humanagents.Busy.Name(), "BUSY"}},
		{humanagents.Away, true, []string{"Here", "AWAY"}},
		{humanagents.Offline, true, []string{"Here", "OFFLINE"}},
	} {
		a := f.agents["acme/a-maria"]
		a.Presence, a.Full = c.presence, c.full
		f.agents["acme/a-maria"] = a
		var got struct{ OnlineStatus, OnlineStatusType, LastOnlineAt string }
		w.Ask("GET", maria, "", account()...).Decode(t, &got)
		require.Equal(t, append(c.shown, ""), []string{got.OnlineStatus, got.OnlineStatusType, got.LastOnlineAt})
	}
}

func TestPresenceIsSet(t *testing.T) {
	w, f := newFloor(t)
	hired(w, f)
	for _, c := range []struct{ body, kind, name string }{
		{`{"onlineStatusType":"AVAILABLE"}`, "AVAILABLE", humanagents.Available.Name()},
		{`{"onlineStatusType":"AWAY","onlineStatus":"Lunch"}`, "AWAY", "Lunch"},
		{`{"onlineStatusType":"OFFLINE"}`, "OFFLINE", humanagents.Offline.Name()},
	} {
		got := w.Ask("PUT", maria+"/presence", c.body, account()...)
		require.Equal(t, 200, got.Status, got.Text)
		e := resttest.Only[humanagents.AgentPresenceChanged](w, humanagents.Desks.Category)
		require.Equal(t, []string{"acme", "a-maria", c.kind, c.name}, []string{e.TenantID, e.HumanAgentID, string(e.Type), e.Name})
		var shown struct{ OnlineStatus, OnlineStatusType, LastOnlineAt, UpdatedAt string }
		got.Decode(t, &shown)
		require.Equal(t, []string{c.name, c.kind, "2025-03-01T12:00:00.000Z", "2025-03-01T12:00:00.000Z"},
			[]string{shown.OnlineStatus, shown.OnlineStatusType, shown.LastOnlineAt, shown.UpdatedAt})
	}
	require.Equal(t, 200, w.Ask("PUT", maria+"/presence", `{"onlineStatusType":"OFFLINE"}`, account()...).Status)
	require.Empty(t, w.Since(), "nothing is new")
	for body, field := range map[string]string{`{}`: "onlineStatusType", `{"onlineStatusType":"HERE"}`: "onlineStatusType",
		`{"onlineStatusType":"AWAY","onlineStatus":" "}`: "onlineStatus"} {
		w.Refused(w.Ask("PUT", maria+"/presence", body, account()...), 400, field)
	}
}

func TestHumanAgentsAreListed(t *testing.T) {
	w, f := newFloor(t)
	require.JSONEq(t, `{"results":[]}`, w.Ask("GET", staff, "", account()...).Text)
	hired(w, f)
	a := f.agents["acme/a-maria"]
	a.Queues = []queues.Queue{{ID: "q-1", Name: "Support", Description: "All of it", AgentGroups: []string{"g-1"}}}
	f.agents["acme/a-maria"] = a
	var got struct {
		Results []struct {
			ID     string
			Queues *[]map[string]any
		}
	}
	w.Ask("GET", staff, "", account()...).Decode(t, &got)
	require.Len(t, got.Results, 1)
	require.Nil(t, got.Results[0].Queues, "nobody asked for them")
	w.Ask("GET", staff+"?page=3&includeQueues=true", "", account()...).Decode(t, &got)
	q := (*got.Results[0].Queues)[0]
	require.Equal(t, []any{"q-1", "Support", "All of it", []any{"g-1"}}, []any{q["id"], q["name"], q["description"], q["agentGroups"]})
	require.Equal(t, []string{"acme acme-org 1 false", "acme acme-org 1 false", "acme acme-org 3 true"}, f.asked)

	w.Refused(w.Ask("GET", staff+"?page=0", "", account()...), 400, "page")
	w.Refused(w.Ask("GET", staff+"?page=1000001", "", account()...), 400, "page")
	w.Refused(w.Ask("GET", "/agentassist/api/v1/public/p-1/organizations/globex-org/agents", "", account()...), 404)
	w.Refused(w.Ask("GET", staff, "", "accountId", "globex"), 404)
	for _, method := range []string{"Organisation", "ListAgents"} {
		f.down[method] = errors.New("relation does not exist")
		w.Refused(w.Ask("GET", staff, "", account()...), 500)
		delete(f.down, method)
	}
}
