//go:build !apache

package node_test

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/jackc/pgx/v5/pgxpool"
	"github.com/stretchr/testify/require"

	"github.com/parley-platform/parley/domain/access"
	"github.com/parley-platform/parley/domain/fault"
	"github.com/parley-platform/parley/domain/humanagents"
	"github.com/parley-platform/parley/domain/queues"
	"github.com/parley-platform/parley/eventstore"
	"github.com/parley-platform/parley/handlers/rest/tokens"
	"github.com/parley-platform/parley/projections/contactcenter"
)

// agentRows is every member of update-human-agent with a value as a client sends it,
// and what an answer then shows; nil: an update does not take it.
var agentRows = []struct {
	row         string
	sent, shown any
}{
	{"id", "a-1", "a-1"}, {"userId", "u-9", "u-9"}, {"roleId", "r-9", "r-9"}, {"iId", mainAlias, mainAlias}, {"agentGroupId", "g-9", "g-9"},
	{"firstName", "Ana", "Ana"}, {"lastName", "Ruiz", "Ruiz"}, {"emailId", "Ana@Acme.example", "Ana@Acme.example"},
	{"fullName", "Ana R.", "Ana R."}, {"lFullName", "ana r.", "ana r."}, {"nickName", "Annie", "Annie"}, {"phoneNumber", "+15550171",
		"+15550171"},
	{"customId", `AC-1/#"ü$`, `AC-1/#"ü$`}, {"isAccountOwner", true, true}, {"markedAutoAway", true, true},
	{"agentGroups", list(map[string]any{"groupId": "g-2", "role": "lead", "accessLevel": "manage", "groupName": "Billing"}),
		list(map[string]any{"groupId": "g-2", "role": "lead", "accessLevel": "manage", "groupName": "Billing"})},
	{"canSupportChat", false, false}, {"canSupportCase", true, true}, {"canSupportVoiceMail", true, true}, {"canSupportVoice", false, false},
	{"chatLanguageSupport", list(map[string]any{"language": "en", "proficiency": 90., "isActive": false}),
		list(map[string]any{"language": "en", "proficiency": 90., "isActive": false})},
	{"voiceLanguageSupport", list(map[string]any{"language": "de-AT", "proficiency": 10.}),
		list(map[string]any{"language": "de-AT", "proficiency": 10.})},
	{"caseLanguageSupport", list(map[string]any{"language": "fr", "proficiency": 5.}),
		list(map[string]any{"language": "fr", "proficiency": 5.})},
	{"voiceSupport", list("inbound"), list("inbound")}, {"dAgentGroups", list("g-old"), list("g-old")},
	{"attachmentsEnabled", true, true}, {"emojisEnabled", true, true}, {"createdBy", "the owner", "the owner"}, {"createdByAId", "a-0", "a-0"},
	{"status", "INACTIVE", "INACTIVE"},
	{"desktopLayouts", list(map[string]any{"id": "l-1", "isDefault": true, "name": "Wide"}),
		list(map[string]any{"id": "l-1", "isDefault": true, "name": "Wide"})},
	{"maxDigitalChatSupport", 3., 3.}, {"maxEmailChatSupport", 0., 0.}, {"maxMessagingChatSupport", 100., 100.},
	{"skills", list(map[string]any{"skillId": "s-1", "userId": "u-9", "proficiencyLevel": 80., "name": "Products", "skillGroupId": "sg",
		"skillGroupName": "Sales", "skillGroupColor": "#fff", "id": "as-1"}),
		list(map[string]any{"skillId": "s-1", "userId": "u-9", "proficiencyLevel": 80., "name": "Products", "skillGroupId": "sg",
			"skillGroupName": "Sales", "skillGroupColor": "#fff", "id": "as-1"})},
	{"lastOnlineAt", "2020-01-01T00:00:00Z", nil}, {"createdAt", "2020-01-01T00:00:00Z", nil}, {"updatedAt", "2020-01-01T00:00:00Z", nil},
	{"queues", list(map[string]any{"id": "q-none"}), nil}, {"onlineStatus", "Available", nil}, {"onlineStatusType", "AVAILABLE", nil},
	{"hoursOfOperationId", "h-9", nil}, {"agentAffinity", true, nil}, {"profImage", "x", nil}, {"sipURI", "sip:x", nil},
	{"role", "Owner", nil},
}

func TestUpdatingAHumanAgent(t *testing.T) {
	t.Parallel()
	w := shared(t).tenant(t, "")
	w.agents(t, map[string]any{"hoursOfOperationId": "h-1", "agentAffinity": false, "profImage": "https://acme.example/m.png",
		"sipURI": "sip:m@acme.example", "role": "Agent"}, "a-1", "a-2")
	w.apply(t, "Queue", "q-1", "Support", map[string]any{"description": "Orders",
		"agents": []any{map[string]any{"userId": "a-1", "isPreferredAgent": true}}, "agentGroups": []any{"g-7"}})
	before := object(t, w.call(t, "GET", agentPath("a-1"), nil))
	for _, r := range agentRows {
		t.Run(r.row, func(t *testing.T) {
			got := object(t, w.call(t, "PUT", agentPath("a-1"), w.agentBody("a-1", map[string]any{r.row: r.sent})))
			if r.shown == nil {
				require.NotEqual(t, r.sent, got[r.row], "not an update's to change")
				if r.row != "updatedAt" {
					require.Equal(t, before[r.row], got[r.row])
				}
				return
			}
			require.Equal(t, r.shown, got[r.row])
			require.Equal(t, got, object(t, w.call(t, "GET", agentPath("a-1"), nil)))
		})
	}
	got := object(t, w.call(t, "PUT", agentPath("a-1"), w.agentBody("a-1", map[string]any{"maxChatSupport": 77})))
	require.Equal(t, "Annie", got["nickName"], "absent optional members keep their value")
	require.Equal(t, 3., got["maxChatSupport"], "follows maxDigitalChatSupport, whatever is sent")
	require.Equal(t, w.id, got["accountId"])
	require.Equal(t, w.id+"-org", got["orgId"])

	_, withQueues := w.listAgents(t, "?includeQueues=true")
	require.Equal(t, list(map[string]any{"id": "q-1", "name": "Support", "description": "Orders",
		"agents": list(map[string]any{"userId": "a-1", "isPreferredAgent": true}), "agentGroups": list("g-7")}), withQueues["a-1"]["queues"])
	require.Empty(t, withQueues["a-2"]["queues"])
	require.Contains(t, withQueues["a-2"], "queues")
	sentBack := withQueues["a-1"]
	require.Equal(t, "Annie", object(t, w.call(t, "PUT", agentPath("a-1"), sentBack))["nickName"], "what was read can be sent back")
}

func TestWrongUpdatesOfAHumanAgent(t *testing.T) {
	t.Parallel()
	w := shared(t).tenant(t, "")
	w.agents(t, nil, "a-1")
	put := func(t *testing.T, more map[string]any, without ...string) *answer {
		body := w.agentBody("a-1", more)
		for _, m := range without {
			delete(body, m)
		}
		return w.call(t, "PUT", agentPath("a-1"), body)
	}
	for _, field := range []string{"id", "userId", "accountId", "orgId", "roleId", "iId", "agentGroupId", "firstName", "lastName", "emailId"} {
		t.Run("required "+field, func(t *testing.T) {
			put(t, nil, field).refused(t, 400, fault.Validation, field)
			put(t, map[string]any{field: ""}).must(t, 400)
			put(t, map[string]any{field: nil}).must(t, 400)
		})
	}
	for field, value := range map[string]any{
		"id": "a-2", "accountId": "another", "orgId": "another-org", "iId": "another-bot", "customId": "with space", "emailId": "no address",
		"nickName":              strings.Repeat("x", 101),
		"maxDigitalChatSupport": 101, "maxEmailChatSupport": -1, "status": "active", "firstName": "a\nb",
		"agentGroups[0].groupId": list(map[string]any{"role": "lead"}), "agentGroups[0].role": list(map[string]any{"groupId": "g"}),
		"chatLanguageSupport[0].proficiency": list(map[string]any{"language": "en"}), "voiceLanguageSupport[0].language": list(map[string]any{
			"proficiency": 1}), "desktopLayouts[0].id": list(map[string]any{}),
	} {
		member, _, _ := strings.Cut(field, "[")
		put(t, map[string]any{member: value}).refused(t, 400, fault.Validation, field)
	}
	put(t, map[string]any{"nickName": "a\x00b"}).must(t, 400)
	put(t, map[string]any{"agentGroups": []any{nil}}).must(t, 400)
	w.call(t, "PUT", agentPath("a-none"), w.agentBody("a-none", nil)).refused(t, 404, fault.NotFound)
	w.call(t, "PUT", agentPath("%00%ff"), w.agentBody("a-1", nil)).refused(t, 404, fault.NotFound)
	w.on.do(t, "PUT", agentPath("a-1"), w.agentBody("a-1", nil), "auth", w.token(t)).refused(t, 400, fault.Validation, "accountId")
	w.on.do(t, "PUT", agentPath("a-1"), w.agentBody("a-1", nil), "auth", w.token(t), "accountId", "another").refused(t, 404, fault.NotFound)
	w.on.do(t, "PUT", agentPath("a-1"), w.agentBody("a-1", nil), "accountId", w.id, "auth",
		w.token(t, func(g *tokens.Grant) { g.Scopes = []access.ClientScope{access.ScopeRouting} })).must(t, 403)
	w.on.do(t, "PUT", agentPath("a-1"), w.agentBody("a-1", nil), "accountId", w.id).must(t, 401)
	w.on.do(t, "PUT", agentPath("a-1"), w.agentBody("a-1", nil), "accountId", w.id, "x-api-key", w.key(t, mainScope)).must(t, 401)
}

func TestAnotherTenantsHumanAgents(t *testing.T) {
	t.Parallel()
	w, other := shared(t).tenant(t, ""), shared(t).tenant(t, "")
	w.agents(t, nil, "a-1")
	other.call(t, "PUT", agentPath("a-1"), w.agentBody("a-1", nil)).refused(t, 404, fault.NotFound)
	other.call(t, "GET", agentPath("a-1"), nil).refused(t, 404, fault.NotFound)
	other.call(t, "PUT", agentPath("a-1")+"/presence", map[string]any{"onlineStatusType": "AVAILABLE"}).refused(t, 404, fault.NotFound)
	other.call(t, "GET", publicV1+"/organizations/"+w.id+"-org/agents", nil).refused(t, 404, fault.NotFound)
	ids, _ := other.listAgents(t, "")
	require.Empty(t, ids)
	other.agents(t, map[string]any{"emailId": "a-1@acme.example"}, "a-9") // each organisation has its own e-mails
}

// TestOneEmailForTwoAgents: of two updates at once, on two nodes, one is refused.
func TestOneEmailForTwoAgents(t *testing.T) {
	t.Parallel()
	c := shared(t)
	w := c.tenant(t, "")
	w.agents(t, nil, "a-1", "a-2")
	headers := w.asAgentDesk(t)
	var answers [2]*answer
	var errs [2]error
	together(2, func(i int) {
		id := fmt.Sprintf("a-%d", i+1)
		answers[i], errs[i] = []*server{c.a, c.b}[i].try("PUT", agentPath(id),
			w.agentBody(id, map[string]any{"emailId": []string{"same@acme.example", "SAME@acme.example"}[i]}), headers...)
	})
	require.NoError(t, errs[0])
	require.NoError(t, errs[1])
	won := 0
	if answers[1].Status == 200 {
		won = 1
	}
	answers[won].must(t, 200)
	answers[1-won].refused(t, 409, fault.Conflict)
}

func TestAnUpdateRepeatedWithItsKey(t *testing.T) {
	t.Parallel()
	w := shared(t).tenant(t, "")
	w.agents(t, nil, "a-1")
	put := func(nick string) *answer {
		return w.on.do(t, "PUT", agentPath("a-1"), w.agentBody("a-1", map[string]any{"nickName": nick}),
			append(w.asAgentDesk(t), "Idempotency-Key", "k-1")...)
	}
	first := object(t, put("Mia"))
	object(t, w.call(t, "PUT", agentPath("a-1"), w.agentBody("a-1", map[string]any{"nickName": "Later"})))
	again := put("Mia")
	require.Equal(t, "true", again.Header.Get("Idempotency-Replayed"))
	require.Equal(t, first, object(t, again))
	put("Other").refused(t, 409, fault.Conflict)
}

func TestListingHumanAgentsByPage(t *testing.T) {
	t.Parallel()
	w := shared(t).tenant(t, "")
	path := publicV1 + "/organizations/" + w.id + "-org/agents"
	for i := range contactcenter.AgentsPage + 1 {
		id := fmt.Sprintf("a-%02d", i)
		define := humanagents.DefineHumanAgent{TenantID: w.id, OrgID: w.id + "-org", ID: id, At: time.Now(),
			Given: humanagents.Given{UserID: "u", RoleID: "r", IID: mainApp, AgentGroupID: "g", FirstName: fmt.Sprint("N", 99-i), LastName: "L",
				EmailID: id + "@x"}}
		run(t, w, humanagents.Organisations, humanagents.OrganisationStream(w.id, w.id+"-org"), define.Decide)
	}
	first, agents := w.listAgents(t, "")
	require.Len(t, first, contactcenter.AgentsPage)
	require.Equal(t, "a-50", first[0], "by name")
	for _, member := range []string{"maxChatSupport", "onlineStatus", "onlineStatusType", "hoursOfOperationId", "agentAffinity", "profImage",
		"sipURI", "role", "skills", "createdAt", "updatedAt"} {
		require.Contains(t, agents["a-50"], member)
	}
	require.NotContains(t, agents["a-50"], "queues")
	second, _ := w.listAgents(t, "?page=2&includeQueues=false")
	require.Equal(t, []string{"a-00"}, second)
	one, _ := w.listAgents(t, "?page=1")
	require.Equal(t, first, one)
	for _, page := range []string{"3", "1000000"} {
		none, _ := w.listAgents(t, "?page="+page+"&includeQueues=true")
		require.Empty(t, none)
	}
	for _, page := range []string{"0", "-1", "1000001", "99999999999999999999", "x", "1.5"} {
		w.call(t, "GET", path+"?page="+page, nil).must(t, 400)
	}
	w.call(t, "GET", path+"?includeQueues=maybe", nil).must(t, 400)
	w.call(t, "GET", publicV1+"/organizations/none/agents?page=0", nil).refused(t, 404, fault.NotFound)
}

func TestPresenceOfAHumanAgent(t *testing.T) {
	t.Parallel()
	w := shared(t).tenant(t, "")
	w.agents(t, nil, "a-1")
	got := object(t, w.call(t, "GET", agentPath("a-1"), nil))
	require.Equal(t, []any{"Offline", "OFFLINE", nil}, []any{got["onlineStatus"], got["onlineStatusType"], got["lastOnlineAt"]})
	got = w.presence(t, "a-1", "AVAILABLE", "")
	require.Equal(t, []any{"Available", "AVAILABLE"}, []any{got["onlineStatus"], got["onlineStatusType"]})
	require.NotEmpty(t, got["lastOnlineAt"])
	got = w.presence(t, "a-1", "AWAY", "Lunch")
	require.Equal(t, got, w.presence(t, "a-1", "AWAY", "Lunch"), "the same again changes nothing")
	require.Equal(t, "Lunch", object(t, w.call(t, "GET", agentPath("a-1"), nil))["onlineStatus"])
	for _, body := range []map[string]any{{}, {"onlineStatusType": "SLEEPING"}, {"onlineStatusType": "available"}} {
		w.call(t, "PUT", agentPath("a-1")+"/presence", body).refused(t, 400, fault.Validation, "onlineStatusType")
	}
	w.call(t, "PUT", agentPath("a-1")+"/presence", map[string]any{"onlineStatusType": "AWAY", "onlineStatus": strings.Repeat("x",
		101)}).refused(t, 400, fault.Validation, "onlineStatus")
	w.call(t, "PUT", agentPath("a-none")+"/presence", map[string]any{"onlineStatusType": "AWAY"}).refused(t, 404, fault.NotFound)
}

// TestCandidatesOfAQueue: who is available and able, preferred ones first, then who has
// been idle for longest.
func TestCandidatesOfAQueue(t *testing.T) {
	t.Parallel()
	w := shared(t).tenant(t, "")
	pool, err := pgxpool.New(context.Background(), w.on.DatabaseURL())
	require.NoError(t, err)
	defer pool.Close()
	known := contactcenter.NewHumanAgents(pool)
	skill := func(level int) map[string]any {
		return map[string]any{"skills": []any{map[string]any{"skillId": "s-1", "proficiencyLevel": level}}, "maxDigitalChatSupport": 1}
	}
	w.agents(t, skill(80), "a-group", "a-second", "a-listed", "a-away")
	w.agents(t, skill(10), "a-weak")
	other := skill(90)
	other["agentGroupId"] = "g-other"
	w.agents(t, other, "a-other")
	inGroup := skill(90)
	inGroup["agentGroupId"], inGroup["agentGroups"] = "g-other", []any{map[string]any{"groupId": "g-1", "role": "member"}}
	w.agents(t, inGroup, "a-third")
	w.apply(t, "Queue", "q-1", "Support", map[string]any{"agents": []any{map[string]any{"userId": "u-a-listed", "isPreferredAgent": true}},
		"agentGroups": []any{"g-1"},
		"skills":      []any{map[string]any{"skillId": "s-1", "minProficiency": 50}}})
	for i, id := range []string{"a-group", "a-second", "a-weak", "a-other", "a-third", "a-listed"} {
		set := humanagents.SetPresence{TenantID: w.id, HumanAgentID: id, Type: humanagents.Available,
			At: time.Now().Add(time.Duration(i) * time.Second)}
		run(t, w, humanagents.Desks, humanagents.DeskStream(w.id, id), set.Decide)
	}
	ids := func(kind humanagents.Kind, skills ...queues.Skill) (out []string) {
		found, err := known.Candidates(context.Background(), w.id, "q-1", kind, skills, nil)
		require.NoError(t, err)
		for _, c := range found {
			require.Equal(t, c.HumanAgentID == "a-listed", c.Preferred)
			out = append(out, c.HumanAgentID)
		}
		return out
	}
	require.Equal(t, []string{"a-listed", "a-group", "a-second", "a-third"}, ids(humanagents.Chat))
	require.Equal(t, []string{"a-third"}, ids(humanagents.Voice, queues.Skill{SkillID: "s-1", MinProficiency: 85}))
	require.Empty(t, ids(humanagents.Chat, queues.Skill{SkillID: "s-2"}))
	require.Empty(t, ids("fax"))
	found, err := known.Candidates(context.Background(), w.id, "q-1", humanagents.Chat, nil, []string{"a-none", "a-third"})
	require.NoError(t, err)
	require.Equal(t, "a-third", found[0].HumanAgentID, "who had the customer before is never cut off")

	claim := humanagents.Claim{TenantID: w.id, HumanAgentID: "a-group", ClaimID: "cl-1", ConversationID: "c-1", Kind: humanagents.Chat,
		Limit: 1,
		At:    time.Now(), ExpiresAt: time.Now().Add(time.Hour)}
	desk := humanagents.DeskStream(w.id, "a-group")
	run(t, w, humanagents.Desks, desk, claim.Decide)
	require.Equal(t, []string{"a-listed", "a-second", "a-third"}, ids(humanagents.Chat))
	require.Contains(t, ids(humanagents.Email), "a-group", "kinds have capacity of their own")
	release := humanagents.Release{TenantID: w.id, HumanAgentID: "a-group", ClaimID: "cl-1", At: time.Now().Add(time.Minute)}
	run(t, w, humanagents.Desks, desk, release.Decide)
	require.Equal(t, []string{"a-listed", "a-second", "a-third", "a-group"}, ids(humanagents.Chat), "who had one last comes last")
	q, ok, err := known.Queue(context.Background(), w.id, "q-1")
	require.NoError(t, err)
	require.True(t, ok)
	require.Equal(t, queues.DefaultWait, q.WaitTimeoutSeconds)
	_, ok, err = known.Queue(context.Background(), w.id, "q-none")
	require.NoError(t, err)
	require.False(t, ok)
}

// TestAnUnconfirmedClaimLapsesByItself: the timer frees what nobody confirmed.
func TestAnUnconfirmedClaimLapsesByItself(t *testing.T) {
	t.Parallel()
	w := shared(t).tenant(t, "")
	w.agents(t, nil, "a-1")
	w.presence(t, "a-1", "AVAILABLE", "")
	desk := humanagents.DeskStream(w.id, "a-1")
	claim := humanagents.Claim{TenantID: w.id, HumanAgentID: "a-1", ClaimID: "cl-1", ConversationID: "c-1", Kind: humanagents.Chat, Limit: 1,
		At: time.Now(), ExpiresAt: time.Now().Add(300 * time.Millisecond)}
	run(t, w, humanagents.Desks, desk, claim.Decide)
	until(t, "the claim to lapse", func() bool {
		loaded, err := eventstore.Read(context.Background(), w.on.Store(), humanagents.Desks, desk)
		require.NoError(t, err)
		return len(loaded.State.Claims) == 0
	})
	claim.ClaimID, claim.ExpiresAt = "cl-2", time.Now().Add(time.Hour)
	run(t, w, humanagents.Desks, desk, claim.Decide)
}

// TestManyClaimsAtOnce: whoever comes from wherever, an agent gets what it can have.
func TestManyClaimsAtOnce(t *testing.T) {
	t.Parallel()
	c := shared(t)
	w := c.tenant(t, "")
	w.agents(t, nil, "a-1")
	w.presence(t, "a-1", "AVAILABLE", "")
	errs := make([]error, 12)
	together(len(errs), func(i int) {
		claim := humanagents.Claim{TenantID: w.id, HumanAgentID: "a-1", ClaimID: fmt.Sprint("cl-", i), ConversationID: fmt.Sprint("c-", i),
			Kind: humanagents.Messaging, Limit: 3, At: time.Now(), ExpiresAt: time.Now().Add(time.Hour)}
		_, errs[i] = eventstore.Execute(context.Background(), []*server{c.a, c.b}[i%2].Store(), humanagents.Desks, humanagents.DeskStream(w.id,
			"a-1"), eventstore.Command{Tenant: w.id, Actor: "user:test"}, claim.Decide)
	})
	taken := 0
	for _, err := range errs {
		if err == nil {
			taken++
			continue
		}
		require.True(t, fault.Is(err, fault.Conflict), "%v", err)
	}
	require.Equal(t, 3, taken)
}
