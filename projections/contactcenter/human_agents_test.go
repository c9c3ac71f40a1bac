package contactcenter_test

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/parley-platform/parley/domain/access"
	"github.com/parley-platform/parley/domain/event"
	"github.com/parley-platform/parley/domain/humanagents"
	"github.com/parley-platform/parley/domain/queues"
	accessmodels "github.com/parley-platform/parley/projections/access"
	"github.com/parley-platform/parley/projections/contactcenter"
	given "github.com/parley-platform/parley/projections/projectiontest"
)

// Given agents, then they are found by what others call them, an id before the others.
func TestAnswersAboutWhoAnAgentIs(t *testing.T) {
	w, ctx := given.Open(t), t.Context()
	x := contactcenter.NewHumanAgents(w.DB)
	define := func(id string, r humanagents.Record) event.Payload {
		r.ID = id
		return given.Filled(func(e *humanagents.HumanAgentDefined) { e.HumanAgentID, e.Agent = id, r })
	}
	w.Given(contactcenter.HumanAgentsModel, "x",
		define("a-1", humanagents.Record{UserID: "u-1", CustomID: "c-1", EmailID: "Ann@example.com", FullName: "Ann Lee",
			LFullName: "Lee, Ann", AgentGroupID: "g-1"}),
		define("a-2", humanagents.Record{UserID: "a-1", CustomID: "u-1", EmailID: "bo@example.com", FullName: "Bo", LFullName: "Bo"}))
	ann, bo := contactcenter.HumanAgentCard{HumanAgentID: "a-1", Name: "Ann Lee", Email: "Ann@example.com"},
		contactcenter.HumanAgentCard{HumanAgentID: "a-2", Name: "Bo", Email: "bo@example.com"}
	named, err := x.Named(ctx, "tenantId", []string{"a-1", "u-1", "c-1", "ANN@example.com", "bo@example.com", "", "nobody"})
	require.NoError(t, err)
	require.Equal(t, map[string]contactcenter.HumanAgentCard{"a-1": ann, "u-1": ann, "c-1": ann, "ANN@example.com": ann, "bo@example.com": bo},
		named)
	for _, c := range []struct {
		tenant string
		names  []string
	}{{"tenantId", []string{""}}, {"tenantId", nil}, {"other", []string{"a-1"}}} {
		named, err = x.Named(ctx, c.tenant, c.names)
		require.NoError(t, err)
		require.Empty(t, named)
	}

	w.Given(contactcenter.HumanAgentsModel, "x", given.Filled(func(e *queues.QueueDefined) {
		e.QueueID, e.Queue = "q-1", queues.Queue{ID: "q-1", Name: "Sales", AgentGroups: []string{"g-1"}}
	}), given.Filled(func(e *queues.QueueDefined) {
		e.QueueID, e.Queue = "q-2", queues.Queue{ID: "q-2", Name: "Help", Agents: []queues.Agent{{UserID: "u-1"}}}
	}))
	w.Given(contactcenter.HumanAgentsModel, "d", given.Filled(func(e *humanagents.AgentPresenceChanged) { e.HumanAgentID = "a-1" }),
		given.Filled(func(e *humanagents.CapacityTaken) { e.HumanAgentID, e.Kind = "a-1", humanagents.Voice }))
	list, err := x.List(ctx, "tenantId", "orgId", 1, true)
	require.NoError(t, err)
	require.Equal(t, []string{"a-2", "a-1"}, []string{list[0].ID, list[1].ID}, "by name")
	require.Equal(t, []string{"Help", "Sales"}, []string{list[1].Queues[0].Name, list[1].Queues[1].Name})
	require.Empty(t, list[0].Queues)
	list, err = x.List(ctx, "tenantId", "orgId", 1, false)
	require.NoError(t, err)
	require.Empty(t, list[1].Queues)
	list, err = x.List(ctx, "tenantId", "orgId", 2, true)
	require.NoError(t, err)
	require.Empty(t, list)

	a, ok, err := x.Agent(ctx, "tenantId", "a-1")
	require.NoError(t, err)
	require.True(t, ok)
	require.True(t, a.Full, "one who may have no call has one")
	require.Equal(t, "ID=a-1 UserID=u-1 AgentGroupID=g-1 EmailID=Ann@example.com FullName=Ann Lee LFullName=Lee, Ann CustomID=c-1 "+
		"CreatedAt=12:02:43 UpdatedAt=12:02:44 Presence=onlineStatusType PresenceName=onlineStatus Full=true "+
		"LastOnlineAt=12:00:10", given.Shown(a))
	b, ok, err := x.Agent(ctx, "tenantId", "a-2")
	require.NoError(t, err)
	require.True(t, ok)
	require.Equal(t, []string{"OFFLINE", "Offline"}, []string{string(b.Presence), b.PresenceName})
	require.False(t, b.Full)
	_, ok, err = x.Agent(ctx, "other", "a-1")
	require.NoError(t, err)
	require.False(t, ok)
	holding, err := x.Holding(ctx, "tenantId", "conversationId")
	require.NoError(t, err)
	require.Equal(t, []string{"a-1"}, holding)
	for tenant, there := range map[string]bool{"tenantId": true, "other": false} {
		q, ok, err := x.Queue(ctx, tenant, "q-1")
		require.NoError(t, err)
		require.Equal(t, there, ok && q.Name == "Sales")
		org, ok, err := x.Organisation(ctx, tenant)
		require.NoError(t, err)
		require.False(t, ok, org)
	}
	w.Given(accessmodels.Model, "x", given.Filled[access.TenantDefined]())
	org, ok, err := x.Organisation(ctx, "tenantId")
	require.NoError(t, err)
	require.True(t, ok)
	require.Equal(t, "orgId", org)
}

// Given a queue, then those could take a conversation who are there, have room and the
// skills: preferred ones first, then who is idle for longest.
func TestAnswersAboutWhoCouldTakeAConversation(t *testing.T) {
	w := given.Open(t)
	skilled := humanagents.Record{Status: humanagents.Active, CanSupportVoice: true,
		Skills: []humanagents.Skill{{SkillID: "french", ProficiencyLevel: 3}}}
	var members []queues.Agent
	for i, id := range []string{"late", "early", "away", "busy", "dull", "preferred"} {
		r := skilled
		if r.ID, r.UserID = id, id; id == "dull" {
			r.Skills = nil
		}
		members = append(members, queues.Agent{UserID: id, IsPreferredAgent: id == "preferred"})
		since := given.Second(99 - i)
		presence := humanagents.AgentPresenceChanged{TenantID: "tenantId", HumanAgentID: id, Type: humanagents.Available, AvailableSince: &since}
		if id == "away" {
			presence.Type = "AWAY"
		}
		w.Given(contactcenter.HumanAgentsModel, "x", given.Filled(func(e *humanagents.HumanAgentDefined) { e.HumanAgentID, e.Agent = id, r }))
		w.Given(contactcenter.HumanAgentsModel, id, presence)
	}
	w.Given(contactcenter.HumanAgentsModel, "busy", given.Filled(func(e *humanagents.CapacityTaken) {
		e.HumanAgentID, e.Kind = "busy",
			humanagents.Voice
	}))
	w.Given(contactcenter.HumanAgentsModel, "q", given.Filled(func(e *queues.QueueDefined) {
		e.Queue = queues.Queue{Agents: members, Skills: []queues.Skill{{SkillID: "french", MinProficiency: 2}}}
	}))
	who := func(tenant string, skills []queues.Skill, first ...string) (ids []string) {
		found, err := contactcenter.NewHumanAgents(w.DB).Candidates(t.Context(), tenant, "queueId", humanagents.Voice, skills, first)
		require.NoError(t, err)
		for _, c := range found {
			ids = append(ids, c.HumanAgentID)
			require.Equal(t, c.HumanAgentID == "preferred", c.Preferred)
		}
		return ids
	}
	require.Equal(t, []string{"preferred", "early", "late"}, who("tenantId", nil))
	require.Equal(t, []string{"late", "preferred", "early"}, who("tenantId", nil, "late"))
	require.Empty(t, who("tenantId", []queues.Skill{{SkillID: "french", MinProficiency: 4}}))
	require.Len(t, who("tenantId", []queues.Skill{{SkillID: "french", MinProficiency: 3}}), 3)
	require.Empty(t, who("other", nil))
}

// Given more agents than a page has, then the rest is on the second one.
func TestAnswersAboutAPageOfAgents(t *testing.T) {
	w := given.Open(t)
	for i := range contactcenter.AgentsPage + 1 {
		w.Given(contactcenter.HumanAgentsModel, "x", given.Filled(func(e *humanagents.HumanAgentDefined) {
			e.HumanAgentID, e.Agent = fmt.Sprintf("a-%02d", i), humanagents.Record{ID: fmt.Sprintf("a-%02d", i)}
		}))
	}
	for page, want := range map[int]int{1: 50, 2: 1, 3: 0} {
		list, err := contactcenter.NewHumanAgents(w.DB).List(t.Context(), "tenantId", "orgId", page, false)
		require.NoError(t, err)
		require.Len(t, list, want)
	}
}
