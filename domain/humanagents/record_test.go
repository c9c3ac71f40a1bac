package humanagents_test

import (
	"encoding/json"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/parley-platform/parley/domain/event"
	"github.com/parley-platform/parley/domain/fault"
	"github.com/parley-platform/parley/domain/fault/faulttest"
	"github.com/parley-platform/parley/domain/humanagents"
)

var noon = time.Date(2026, 11, 22, 12, 0, 0, 0, time.UTC)

func ptr[T any](v T) *T { return &v }

// maria has the required members only.
func maria(change ...func(*humanagents.Given)) humanagents.Given {
	g := humanagents.Given{UserID: "u-1", RoleID: "r-1", IID: "shop", AgentGroupID: "g-1", FirstName: "Maria", LastName: "Keller",
		EmailID: "maria@acme.example"}
	for _, c := range change {
		c(&g)
	}
	return g
}

func define(id string, g humanagents.Given) humanagents.DefineHumanAgent {
	return humanagents.DefineHumanAgent{TenantID: "acct", OrgID: "org", ID: id, Given: g, At: noon}
}

func update(id string, g humanagents.Given) humanagents.UpdateHumanAgent {
	return humanagents.UpdateHumanAgent{TenantID: "acct", OrgID: "org", ID: id, Given: g, At: noon.Add(time.Hour)}
}

// history decides commands one after the other.
func history(t *testing.T, past []event.Payload, decides ...func(humanagents.Organisation) ([]event.Payload, error)) []event.Payload {
	t.Helper()
	for _, decide := range decides {
		got, err := decide(humanagents.Organisations.State(past...))
		require.NoError(t, err)
		past = append(past, got...)
	}
	return past
}

func agent(t *testing.T, id string, past []event.Payload) humanagents.Agent {
	t.Helper()
	a, ok := humanagents.Organisations.State(past...).Agents[id]
	require.True(t, ok)
	return a
}

// members is the record as the API shows it.
func members(t *testing.T, r humanagents.Record) map[string]any {
	t.Helper()
	data, err := json.Marshal(r)
	require.NoError(t, err)
	out := map[string]any{}
	require.NoError(t, json.Unmarshal(data, &out))
	return out
}

func given(t *testing.T, body string) humanagents.Given {
	t.Helper()
	data, err := json.Marshal(maria())
	require.NoError(t, err)
	all, more := map[string]any{}, map[string]any{}
	require.NoError(t, json.Unmarshal(data, &all))
	require.NoError(t, json.Unmarshal([]byte(body), &more))
	for name, v := range more {
		all[name] = v
	}
	data, err = json.Marshal(all)
	require.NoError(t, err)
	var g humanagents.Given
	require.NoError(t, json.Unmarshal(data, &g))
	return g
}

// TestRequiredMembers: each is missed by its name.
func TestRequiredMembers(t *testing.T) {
	past := history(t, nil, define("a-1", maria()).Decide)
	for _, field := range []string{"userId", "roleId", "iId", "agentGroupId", "firstName", "lastName", "emailId"} {
		t.Run(field, func(t *testing.T) {
			g := given(t, `{"`+field+`": ""}`)
			_, err := update("a-1", g).Decide(humanagents.Organisations.State(past...))
			require.Equal(t, []string{field}, faulttest.Fields(t, err))
			_, err = define("a-2", g).Decide(humanagents.Organisation{})
			require.Equal(t, []string{"spec." + field}, faulttest.Fields(t, err))
		})
	}
}

// optional is each optional member of update-human-agent with a value and what it is
// after.
var optional = []struct{ row, value string }{
	{"fullName", `"Maria K."`}, {"lFullName", `"maria k."`}, {"nickName", `"Mia"`}, {"phoneNumber", `"+1555"`}, {"customId", `"AC-1/#ü$"`},
	{"isAccountOwner", `true`}, {"markedAutoAway", `true`},
	{"agentGroups", `[{"groupId":"g-2","role":"lead","accessLevel":"manage","groupName":"Billing"}]`},
	{"canSupportChat", `false`}, {"canSupportCase", `true`}, {"canSupportVoiceMail", `true`}, {"canSupportVoice", `false`},
	{"chatLanguageSupport", `[{"language":"en","proficiency":90,"isActive":false}]`},
	{"voiceLanguageSupport", `[{"language":"de-AT","proficiency":0}]`},
	{"caseLanguageSupport", `[{"language":"fr","proficiency":100,"isActive":true}]`}, {"voiceSupport", `["inbound"]`},
	{"dAgentGroups", `["g-old"]`},
	{"attachmentsEnabled", `true`}, {"emojisEnabled", `true`}, {"createdBy", `"the owner"`}, {"createdByAId", `"a-0"`},
	{"status", `"INACTIVE"`},
	{"desktopLayouts", `[{"id":"l-1","isDefault":true,"name":"Wide"}]`},
	{"maxDigitalChatSupport", `3`}, {"maxEmailChatSupport", `0`}, {"maxMessagingChatSupport", `100`},
	{"skills", `[{"skillId":"s-1","userId":"u-1","proficiencyLevel":80,"name":"Products","skillGroupId":"sg","skillGroupName":"Sales",
		"skillGroupColor":"#fff","id":"as-1"}]`},
}

// TestOptionalMembers: each is set by an update, and an update without it keeps it.
func TestOptionalMembers(t *testing.T) {
	past := history(t, nil, define("a-1", maria()).Decide)
	for _, m := range optional {
		t.Run(m.row, func(t *testing.T) {
			set := history(t, past, update("a-1", given(t, `{"`+m.row+`":`+m.value+`}`)).Decide)
			require.Len(t, set, 2, "the update changes something")
			got, err := json.Marshal(members(t, agent(t, "a-1", set).Record)[m.row])
			require.NoError(t, err)
			require.JSONEq(t, m.value, string(got))
			kept := history(t, set, update("a-1", maria(func(g *humanagents.Given) { g.RoleID = "r-2" })).Decide)
			require.Equal(t, members(t, agent(t, "a-1", set).Record)[m.row], members(t, agent(t, "a-1", kept).Record)[m.row])
		})
	}
	rows := map[string]bool{}
	for _, m := range optional {
		rows[m.row] = true
	}
	for f := range reflect.TypeFor[humanagents.Given]().Fields() {
		if name, options, _ := strings.Cut(f.Tag.Get("json"), ","); options == "omitempty" {
			require.True(t, rows[name], "%s has no row in this test", name)
		}
	}
}

func TestListsAndLimitsAtTheEdgeAndPastIt(t *testing.T) {
	many := func(n int, item string) string {
		return "[" + strings.TrimSuffix(strings.Repeat(item+",", n), ",") + "]"
	}
	text := func(n int) string { return `"` + strings.Repeat("ü", n) + `"` }
	o := humanagents.Organisations.State(history(t, nil, define("a-1", maria()).Decide)...)
	for _, c := range []struct{ row, at, past, field string }{
		{"firstName", text(100), text(101), "firstName"}, {"lastName", text(100), text(101), "lastName"},
		{"emailId", `"` + strings.Repeat("a", 252) + `@b"`, `"` + strings.Repeat("a", 253) + `@b"`, "emailId"},
		{"userId", `"` + strings.Repeat("a", 128) + `"`, `"` + strings.Repeat("a", 129) + `"`, "userId"},
		{"fullName", text(201), text(202), "fullName"}, {"lFullName", text(201), text(202), "lFullName"}, {"nickName", text(100), text(101),
			"nickName"},
		{"phoneNumber", `"+12"`, `"+1"`, "phoneNumber"}, {"phoneNumber", `"+123456789012345"`, `"+1234567890123456"`, "phoneNumber"},
		{"customId", text(64), text(65), "customId"},
		{"createdBy", text(128), text(129), "createdBy"}, {"createdByAId", text(128), text(129), "createdByAId"},
		{"status", `"` + strings.Repeat("A", 32) + `"`, `"` + strings.Repeat("A", 33) + `"`, "status"},
		{"maxDigitalChatSupport", `100`, `101`, "maxDigitalChatSupport"}, {"maxEmailChatSupport", `100`, `101`, "maxEmailChatSupport"},
		{"maxMessagingChatSupport", `0`, `-1`, "maxMessagingChatSupport"},
		{"agentGroups", many(100, `{"groupId":"g","role":"r"}`), many(101, `{"groupId":"g","role":"r"}`), "agentGroups"},
		{"voiceSupport", many(100, `"x"`), many(101, `"x"`), "voiceSupport"}, {"dAgentGroups", `[` + text(100) + `]`, `[` + text(101) + `]`,
			"dAgentGroups[0]"},
		{"chatLanguageSupport", `[{"language":"en","proficiency":100}]`, `[{"language":"en","proficiency":101}]`,
			"chatLanguageSupport[0].proficiency"},
		{"skills", `[{"skillId":"s","proficiencyLevel":0}]`, `[{"skillId":"s","proficiencyLevel":-1}]`, "skills[0].proficiencyLevel"},
	} {
		_, err := update("a-1", given(t, `{"`+c.row+`":`+c.at+`}`)).Decide(o)
		require.NoError(t, err, c.row)
		_, err = update("a-1", given(t, `{"`+c.row+`":`+c.past+`}`)).Decide(o)
		require.Equal(t, []string{c.field}, faulttest.Fields(t, err), c.row)
	}
}

func TestWrongMembers(t *testing.T) {
	o := humanagents.Organisations.State(history(t, nil, define("a-1", maria()).Decide)...)
	for body, field := range map[string]string{
		`{"emailId":"maria"}`: "emailId", `{"emailId":"a b@c"}`: "emailId", `{"emailId":"a@b@c"}`: "emailId",
		`{"customId":"with space"}`: "customId", `{"customId":"tab\there"}`: "customId", `{"customId":"nbsp\u00a0"}`: "customId",
		`{"nickName":"a\u0000b"}`: "nickName", `{"nickName":"a\u202eb"}`: "nickName", `{"fullName":"a\u200bb"}`: "fullName",
		`{"lFullName":"a\nb"}`: "lFullName", `{"phoneNumber":"01711234567"}`: "phoneNumber",
		`{"phoneNumber":"reception"}`: "phoneNumber", `{"phoneNumber":"+0155"}`: "phoneNumber",
		`{"status":"active"}`: "status", `{"userId":"a b"}`: "userId", `{"firstName":" "}`: "firstName",
		`{"agentGroups":[{"role":"lead"}]}`: "agentGroups[0].groupId", `{"agentGroups":[{"groupId":"g"}]}`: "agentGroups[0].role",
		`{"chatLanguageSupport":[{"proficiency":1}]}`:                        "chatLanguageSupport[0].language",
		`{"voiceLanguageSupport":[{"language":"english!","proficiency":1}]}`: "voiceLanguageSupport[0].language",
		`{"desktopLayouts":[{"name":"x"}]}`:                                  "desktopLayouts[0].id",
		`{"skills":[{"name":"x"}]}`:                                          "skills[0].skillId",
	} {
		_, err := update("a-1", given(t, body)).Decide(o)
		require.Contains(t, faulttest.Fields(t, err), field, body)
	}
}

// Names are kept in one form, and empty where nothing of them is seen.
func TestHowANameIsSpelled(t *testing.T) {
	past := history(t, nil, define("a-1", maria()).Decide)
	for spelled, kept := range map[string]string{" A\u0308nne ": "\u00c4nne", " ": ""} {
		got := agent(t, "a-1", history(t, past, update("a-1", maria(func(g *humanagents.Given) { g.NickName = &spelled })).Decide))
		require.Equal(t, kept, got.NickName, spelled)
	}
}

// A number is read as those of contacts are, and kept in one form.
func TestHowANumberIsSpelled(t *testing.T) {
	past := history(t, nil, define("a-1", maria()).Decide)
	for spelled, kept := range map[string]string{"+1 (555) 010-0171": "+15550100171", "tel:+15550100171": "+15550100171",
		"15550100171": "+15550100171", "0049 171 1234567": "+491711234567", "+12": "+12", "": ""} {
		got := agent(t, "a-1", history(t, past, update("a-1", maria(func(g *humanagents.Given) { g.PhoneNumber = &spelled })).Decide))
		require.Equal(t, kept, got.PhoneNumber, spelled)
	}
}

// A number from before any was checked is no fault of an update that leaves it.
func TestANumberThatWasNeverChecked(t *testing.T) {
	past := history(t, nil, define("a-1", maria()).Decide)
	defined := past[0].(humanagents.HumanAgentDefined)
	defined.Agent.PhoneNumber = "reception"
	past = history(t, []event.Payload{defined}, update("a-1", maria(func(g *humanagents.Given) { g.RoleID = "r-2" })).Decide)
	require.Equal(t, "reception", agent(t, "a-1", past).PhoneNumber)
	past = history(t, past, update("a-1", maria(func(g *humanagents.Given) { g.PhoneNumber = ptr("") })).Decide)
	require.Empty(t, agent(t, "a-1", past).PhoneNumber, "who has none any more")
}

func TestAnEmailBelongsToOneAgent(t *testing.T) {
	tom := maria(func(g *humanagents.Given) { g.EmailID = "tom@acme.example" })
	past := history(t, nil, define("a-1", maria()).Decide, define("a-2", tom).Decide)
	taken := func(g *humanagents.Given) { g.EmailID = "MARIA@Acme.example" }
	_, err := update("a-2", maria(taken)).Decide(humanagents.Organisations.State(past...))
	require.True(t, fault.Is(err, fault.Conflict))
	_, err = define("a-3", maria(taken)).Decide(humanagents.Organisations.State(past...))
	require.True(t, fault.Is(err, fault.Conflict))

	past = history(t, past, update("a-1", maria(taken)).Decide)
	require.Equal(t, "MARIA@Acme.example", agent(t, "a-1", past).EmailID, "its own in another case is no other's")
	past = history(t, past, update("a-1", maria(func(g *humanagents.Given) { g.EmailID = "m@acme.example" })).Decide,
		update("a-2", maria()).Decide)
	require.Equal(t, "maria@acme.example", agent(t, "a-2", past).EmailID, "what was given up is free")
	remove := humanagents.RemoveHumanAgent{TenantID: "acct", OrgID: "org", ID: "a-2", At: noon}
	past = history(t, past, remove.Decide, remove.Decide, define("a-4", maria()).Decide)
	require.Equal(t, "a-4", humanagents.Organisations.State(past...).Emails["maria@acme.example"])
}

func TestUpdatingAnAgentThatIsNotThere(t *testing.T) {
	_, err := update("a-1", maria()).Decide(humanagents.Organisation{})
	require.True(t, fault.Is(err, fault.NotFound))
}

func TestAnUpdateThatChangesNothing(t *testing.T) {
	past := history(t, nil, define("a-1", maria()).Decide, update("a-1", maria()).Decide)
	require.Len(t, past, 1)
}

func TestFullNamesFollowTheirParts(t *testing.T) {
	past := history(t, nil, define("a-1", maria()).Decide)
	require.Equal(t, "Maria Keller", agent(t, "a-1", past).FullName)
	past = history(t, past, update("a-1", maria(func(g *humanagents.Given) { g.LastName = "Voss" })).Decide)
	require.Equal(t, []string{"Maria Voss", "maria voss"}, []string{agent(t, "a-1", past).FullName, agent(t, "a-1", past).LFullName})
	past = history(t, past, update("a-1", maria(func(g *humanagents.Given) { g.FullName = ptr("Dr. Voss") })).Decide,
		update("a-1", maria()).Decide)
	require.Equal(t, []string{"Dr. Voss", "dr. voss"}, []string{agent(t, "a-1", past).FullName, agent(t, "a-1", past).LFullName},
		"a given one stays")
	past = history(t, past, update("a-1", maria(func(g *humanagents.Given) { g.FullName = ptr("") })).Decide)
	require.Equal(t, "Maria Keller", agent(t, "a-1", past).FullName, "an empty one is made again")
}

// TestADefinitionChangesWhatDiffersFromTheLast: a manifest does not undo what people did
// over the API.
func TestADefinitionChangesWhatDiffersFromTheLast(t *testing.T) {
	past := history(t, nil, define("a-1", maria()).Decide,
		update("a-1", maria(func(g *humanagents.Given) { g.NickName, g.MaxEmailChatSupport = ptr("Mia"), ptr(7) })).Decide)
	same := history(t, past, define("a-1", maria()).Decide)
	require.Len(t, same, len(past), "the same definition again")
	past = history(t, past, define("a-1", maria(func(g *humanagents.Given) { g.MaxEmailChatSupport = ptr(2) })).Decide)
	a := agent(t, "a-1", past)
	require.Equal(t, "Mia", a.NickName, "updated since, and not in what changed")
	require.Equal(t, 2, a.MaxEmailChatSupport)
	require.Equal(t, noon, a.CreatedAt)
}

func TestIDsOfAgents(t *testing.T) {
	for _, id := range []string{"", "a-", "1", "b-1", "a- 1", "a-" + strings.Repeat("x", 127)} {
		_, err := define(id, maria()).Decide(humanagents.Organisation{})
		require.Equal(t, []string{"metadata.id"}, faulttest.Fields(t, err), id)
	}
	require.NotEqual(t, humanagents.OrganisationStream("a", "b-c"), humanagents.OrganisationStream("a-b", "c"))
}

func TestLimitsOfKinds(t *testing.T) {
	g := maria(func(g *humanagents.Given) {
		g.MaxDigitalChatSupport, g.MaxEmailChatSupport, g.MaxMessagingChatSupport = ptr(3), ptr(4), ptr(5)
	})
	limits := func(change func(*humanagents.Given)) (out []int) {
		c := g
		change(&c)
		r := agent(t, "a-1", history(t, nil, define("a-1", c).Decide)).Record
		for _, k := range append(humanagents.Kinds(), "fax") {
			out = append(out, r.Limit(k))
		}
		return out
	}
	require.Equal(t, []int{3, 4, 5, 1, 0}, limits(func(*humanagents.Given) {}))
	require.Equal(t, []int{0, 0, 0, 1, 0}, limits(func(g *humanagents.Given) { g.CanSupportChat = ptr(false) }))
	require.Equal(t, []int{3, 4, 5, 0, 0}, limits(func(g *humanagents.Given) { g.CanSupportVoice = ptr(false) }))
	require.Equal(t, []int{0, 0, 0, 0, 0}, limits(func(g *humanagents.Given) { g.Status = ptr("INACTIVE") }))
}
