package contactcenter_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/parley-platform/parley/domain/conversations"
	"github.com/parley-platform/parley/handlers/rest/resttest"
	models "github.com/parley-platform/parley/projections/contactcenter"
)

const (
	room    = "/api/v1/projects/p-1/conversations"
	talk    = room + "/c-1"
	noNotes = `"dispositions":[],"dispositionRemarks":[],"agentNotes":[],"userLevelTags":[],"sessionLevelTags":[],"afterCallWork":[]`
	atNoon  = `"2025-03-01T12:00:00.000Z"`
	atOne   = `"2025-03-01T13:00:00.000Z"`
)

// aTalk is a conversation of which all is known.
func aTalk() models.ConversationInfo {
	one := noon.Add(time.Hour)
	return models.ConversationInfo{ProjectID: "p-1", ConversationID: "c-1", SessionID: "s-1", Origin: "hook", Status: "ended",
		Experience: "chat",
		OpenedAt:   noon, EnteredAt: &noon, EndedAt: &one, EndReason: "resolved", Segments: 2,
		Summary: models.ConversationSummary{Number: 1, Status: "done", Wanted: &conversations.SummaryWanted{Language: "English", Locale: "en",
			Type: "post"}, Text: "They talked", Provider: "local", Model: "rules", Error: "away", AskedAt: &noon, OutcomeAt: &one},
		Dispositions: []string{"sold"}, DispositionRemarks: []string{"at last"}, AgentNotes: []string{"kind"}, UserLevelTags: []string{"vip"},
		SessionLevelTags: []conversations.Tag{{Name: "tier", Value: "gold"}}, MetaInfo: []byte(`{"n": 1.50}`),
		AfterCallWork: []conversations.AfterCallWork{{HumanAgentID: "a-1", StartedAt: noon, EndedAt: one, DurationMs: 3_600_000},
			{DurationMs: 5}},
		Participants: []models.ConversationStay{{Identity: "a-1", Name: "Ada", Segment: 1, EnteredBy: "na", EnteredAt: noon, RedialedAt: &one,
			LeftBy: "cold", LeftAt: &one, Experience: "chat", External: true, Reason: "asked", Language: "en", AgentEmail: "ada@acme.example",
			QueueID: "q-1", QueueName: "Support"}}}
}

const talkShown = `{"conversationId":"c-1","sessionId":"s-1","origin":"hook","status":"ended","experience":"chat","openedAt":` + atNoon + `,
	"enteredAt":` + atNoon + `,"endedAt":` + atOne + `,"endReason":"resolved","segments":2,
	"participants":[{"identity":"a-1","name":"Ada","segment":1,"enteredBy":"na","enteredAt":` + atNoon + `,"redialedAt":` + atOne + `,
		"leftBy":"cold","leftAt":` + atOne + `,"experience":"chat","isExtAD":true,"reason":"asked","language":"en",
		"customFields":{"agentEmail":"ada@acme.example","queueId":"q-1","queueName":"Support"}}],
	"summary":{"status":"done","language":"English","locale":"en","type":"post","text":"They talked","provider":"local","model":"rules",
		"error":"away","triggeredAt":` + atNoon + `,"finishedAt":` + atOne + `},
	"dispositions":["sold"],"dispositionRemarks":["at last"],"agentNotes":["kind"],"userLevelTags":["vip"],
	"sessionLevelTags":[{"name":"tier","value":"gold"}],"metaInfo":{"n": 1.50},
	"afterCallWork":[{"agentId":"a-1","startedAt":` + atNoon + `,"endedAt":` + atOne + `,"durationMs":3600000},{"durationMs":5}]}`

func TestConversationsAreListed(t *testing.T) {
	w, f := newFloor(t)
	require.JSONEq(t, `{"success":true,"conversations":[],"pagination":{"total":0,"limit":50,"offset":0}}`, w.Ask("GET", room, "").Text)
	f.conversations["acme/p-1/c-1"], f.total = aTalk(), 9
	require.JSONEq(t, `{"success":true,"conversations":[`+talkShown+`],"pagination":{"total":9,"limit":200,"offset":8}}`,
		w.Ask("GET", room+"?status=ended&limit=200&offset=8", "").Text)
	require.Equal(t, []string{`acme p-1 "" 50 0`, `acme p-1 "ended" 200 8`}, f.asked)
	for query, field := range map[string]string{"status=over": "status", "limit=0": "limit", "limit=201": "limit", "offset=-1": "offset"} {
		w.Refused(w.Ask("GET", room+"?"+query, ""), 400, field)
	}
	w.Refused(w.Ask("GET", "/api/v1/projects/p-2/conversations", ""), 404)
	f.down["List"] = errors.New("relation does not exist")
	w.Refused(w.Ask("GET", room, ""), 500)
}

func TestAConversationIsRead(t *testing.T) {
	w, f := newFloor(t)
	f.conversations["acme/p-1/c-1"], f.total = aTalk(), 9
	f.messages = []models.ConversationMessage{{Number: 8, Author: "USER", HumanAgentID: "a-1", Query: "Hello", Source: "desk", Language: "de",
		Experience: "chat", Assist: "pending", At: noon}}
	got := w.Ask("GET", talk+"?limit=1&offset=7", "")
	require.JSONEq(t, `{"success":true,"conversation":`+talkShown+`,"messages":[{"number":8,"author":"USER","agentId":"a-1","query":"Hello",
		"source":"desk","language":"de","experience":"chat","assist":"pending","at":`+atNoon+`}],"pagination":{"total":9,"limit":1,"offset":7}}`,
		got.Text)
	require.Equal(t, []string{"messages of acme p-1 c-1 1 7"}, f.asked)
}

// A call that nobody noted anything of is its own, empty conversation.
func TestTheConversationOfACall(t *testing.T) {
	w, f := newFloor(t)
	f.calls["acme/p-1/c-1"] = conversations.Call{TenantID: "acme", ProjectID: "p-1", CallID: "c-1", SessionID: "s-1", At: noon}
	require.JSONEq(t, `{"success":true,"conversation":{"conversationId":"c-1","sessionId":"s-1","origin":"call","status":"waiting",
		"experience":"voice","openedAt":`+atNoon+`,"segments":0,"participants":[],`+noNotes+`},"messages":[],
		"pagination":{"total":0,"limit":50,"offset":0}}`, w.Ask("GET", talk, "").Text)

	got := w.Ask("PATCH", talk, `{"dispositions":["sold"]}`)
	require.Equal(t, 200, got.Status, got.Text)
	require.JSONEq(t, `{"success":true,"conversationId":"c-1","sessionId":"s-1",`+strings.Replace(noNotes, `"dispositions":[]`,
		`"dispositions":["sold"]`, 1)+`}`, got.Text)
	since := w.Since()
	require.Len(t, since, 2, "the first note opens it")
	require.Equal(t, conversations.Stream("acme", "p-1", "c-1"), since[0].Stream)
}

func TestWhoseConversationsTheyAre(t *testing.T) {
	w, f := newFloor(t)
	f.conversations["acme/p-9/c-2"], f.conversations["globex/p-1/c-3"] = aTalk(), aTalk()
	for _, path := range []string{room + "/c-2", room + "/c-3", room + "/c-4", room + "/a%20b", "/api/v1/projects/p-2/conversations/c-1"} {
		w.Refused(w.Ask("GET", path, ""), 404)
		w.Refused(w.Ask("PATCH", path, `{"metaInfo":7}`), 404)
		w.Refused(w.Ask("POST", path+"/summary", ""), 404)
	}
	require.Equal(t, 200, w.Ask("GET", "/api/v1/projects/p-9/conversations/c-2", "").Status)
	readOnly := w.Grant("acme", nil, "session:read")
	w.Token = readOnly
	w.Refused(w.Ask("PATCH", room+"/c-4", "{}"), 403)
	w.Refused(w.Ask("POST", room+"/c-4/summary", ""), 403)
	w.Token = w.Grant("acme", nil)
	w.Refused(w.Ask("GET", room+"/c-4", ""), 403)
	w.Refused(w.Call("GET", room+"/c-4", ""), 401)
}

// known is a conversation that is on the log and in the read model.
func known(w *resttest.Stored, f *floor) {
	f.conversations["acme/p-1/c-1"] = models.ConversationInfo{ConversationID: "c-1"}
	resttest.Given(w, conversations.Conversations, conversations.Stream("acme", "p-1", "c-1"), conversations.Opened{ConversationID: "c-1",
		TenantID: "acme", ProjectID: "p-1", Origin: conversations.ByHook, Experience: "chat", At: noon})
}

func TestAConversationIsNoted(t *testing.T) {
	w, f := newFloor(t)
	known(w, f)
	f.sessions["acme/p-1/s-1"] = true
	got := w.Ask("PATCH", talk, `{"dispositions":["sold"],"dispositionRemarks":["at last"],"notes":["kind"],"userLevelTags":["vip"],
		"sessionLevelTags":[{"name":"tier","value":"gold"}],"afterCallWork":{"agentId":"a-1","startedAt":`+atNoon+`,"endedAt":`+atOne+`},
		"metaInfo":{"n": 1.50},"sessionId":"s-1"}`)
	require.Equal(t, 200, got.Status, got.Text)
	require.JSONEq(t, `{"success":true,"conversationId":"c-1","sessionId":"s-1","dispositions":["sold"],"dispositionRemarks":["at last"],
		"agentNotes":["kind"],"userLevelTags":["vip"],"sessionLevelTags":[{"name":"tier","value":"gold"}],"metaInfo":{"n":1.50},
		"afterCallWork":[{"agentId":"a-1","startedAt":`+atNoon+`,"endedAt":`+atOne+`,"durationMs":3600000}]}`, got.Text)
	one := noon.Add(time.Hour)
	require.Equal(t, conversations.Noted{Dispositions: &[]string{"sold"}, DispositionRemarks: &[]string{"at last"},
		AgentNotes:    &[]string{"kind"},
		UserLevelTags: &[]string{"vip"}, SessionLevelTags: &[]conversations.Tag{{Name: "tier", Value: "gold"}}, MetaInfo: []byte(`{"n":1.50}`),
		AfterCallWork: &conversations.AfterCallWork{HumanAgentID: "a-1", StartedAt: noon, EndedAt: one, DurationMs: 3_600_000}, SessionID: "s-1",
		At: w.Now}, resttest.Only[conversations.Noted](w, conversations.Conversations.Category))

	got = w.Ask("PATCH", talk, `{"agentNotes":[],"afterCallWork":{"agentId":"a-0","durationMs":86400000}}`)
	require.Equal(t, 200, got.Status, got.Text)
	require.Contains(t, got.Text, `"agentNotes":[],"userLevelTags":["vip"]`, "what is not given stays")
	require.Contains(t, got.Text, `"afterCallWork":[{"agentId":"a-0","durationMs":86400000},{"agentId":"a-1"`, "agents by their ids")
	require.Len(t, w.Since(), 1)

	require.Equal(t, 200, w.Ask("PATCH", talk, `{"agentNotes":[],"metaInfo":null}`).Status)
	require.Empty(t, w.Since(), "nothing is new")
}

func TestWhatIsWrongWithANote(t *testing.T) {
	w, f := newFloor(t)
	known(w, f)
	f.sessions["globex/p-1/s-2"], f.sessions["acme/p-9/s-9"], f.sessions["acme/p-1/s-1"], f.sessions["acme/p-1/s-3"] = true, true, true, true
	many := `["` + strings.Repeat(`a","`, 50) + `a"]`
	for body, field := range map[string]string{
		`{"notes":["a"],"agentNotes":["a"]}`: "notes",
		`{"sessionId":"s-2"}`:                "sessionId", `{"sessionId":"s-9"}`: "sessionId", `{"sessionId":"a b"}`: "sessionId",
		`{"sessionId":"` + strings.Repeat("s", 129) + `"}`: "sessionId",
		`{"dispositions":` + many + `}`:                    "dispositions", `{"dispositionRemarks":` + many + `}`: "dispositionRemarks",
		`{"agentNotes":` + many + `}`: "agentNotes", `{"notes":` + many + `}`: "notes", `{"agentNotes":[""]}`: "agentNotes[0]",
		`{"notes":[""]}`:                 "notes[0]",
		`{"userLevelTags":` + many + `}`: "userLevelTags",
		`{"metaInfo":[]}`:                "metaInfo",
		`{"metaInfo":{"a":"` + strings.Repeat("a", 16<<10) + `"}}`: "metaInfo",
		`{"afterCallWork":{"durationMs":86400001}}`:                "afterCallWork.durationMs",
		`{"afterCallWork":{"durationMs":-1}}`:                      "afterCallWork.durationMs",
		`{"sessionLevelTags":[{"name":"","value":"a"}]}`:           "sessionLevelTags[0].name",
		`{"sessionLevelTags":[{"name":"a"}]}`:                      "sessionLevelTags[0].value",
	} {
		w.Refused(w.Ask("PATCH", talk, body), 400, field)
	}
	require.Equal(t, 200, w.Ask("PATCH", talk, `{"sessionId":"s-1"}`).Status)
	w.Since()
	w.Refused(w.Ask("PATCH", talk, `{"sessionId":"s-3"}`), 409)
	for method, body := range map[string]string{"Exists": `{}`, "Call": `{}`, "SessionExists": `{"sessionId":"s-1"}`} {
		f.down[method] = errors.New("relation does not exist")
		w.Refused(w.Ask("PATCH", talk, body), 500)
		delete(f.down, method)
	}
}

func TestANoteIsTakenOnceForAKey(t *testing.T) {
	w, f := newFloor(t)
	known(w, f)
	first := w.Ask("PATCH", talk, `{"agentNotes":["kind"]}`, "Idempotency-Key", "one")
	again := w.Ask("PATCH", talk, `{"agentNotes":["kind"]}`, "Idempotency-Key", "one")
	require.Equal(t, []any{200, first.Text, "true"}, []any{again.Status, again.Text, again.Header.Get("Idempotency-Replayed")})
	require.Len(t, w.Since(), 1)
	w.Refused(w.Ask("PATCH", talk, `{"agentNotes":["rude"]}`, "Idempotency-Key", "one"), 409)
}

func TestASummaryIsAskedForOnceMore(t *testing.T) {
	w, f := newFloor(t)
	known(w, f)
	stream := conversations.Stream("acme", "p-1", "c-1")
	w.Refused(w.Ask("POST", talk+"/summary", ""), 409) // none was triggered
	resttest.Given(w, conversations.Conversations, stream,
		conversations.SummaryAsked{Number: 1, Language: "English", Locale: "en", Type: "post", At: noon})
	w.Refused(w.Ask("POST", talk+"/summary", ""), 409) // it is under way
	for n := 1; n < conversations.MaxSummaries; n++ {
		resttest.Given(w, conversations.Conversations, stream, conversations.SummaryFailed{Number: n, Attempts: 1, Error: "away", At: noon})
		got := w.Ask("POST", talk+"/summary", "", "Idempotency-Key", fmt.Sprint(n))
		require.Equal(t, 200, got.Status, got.Text)
		require.JSONEq(t, `{"success":true,"conversationId":"c-1","summary":{"status":"pending","language":"English","locale":"en","type":"post",
			"triggeredAt":`+atNoon+`}}`, got.Text)
		require.Equal(t, conversations.SummaryAsked{Number: n + 1, Language: "English", Locale: "en", Type: "post", At: w.Now},
			resttest.Only[conversations.SummaryAsked](w, conversations.Conversations.Category))
		again := w.Ask("POST", talk+"/summary", "", "Idempotency-Key", fmt.Sprint(n))
		require.Equal(t, []any{200, got.Text, "true"}, []any{again.Status, again.Text, again.Header.Get("Idempotency-Replayed")})
	}
	resttest.Given(w, conversations.Conversations, stream,
		conversations.SummaryFailed{Number: conversations.MaxSummaries, Attempts: 1, Error: "away", At: noon})
	w.Refused(w.Ask("POST", talk+"/summary", ""), 429) // no more
}
