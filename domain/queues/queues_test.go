package queues_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/parley-platform/parley/domain/event"
	"github.com/parley-platform/parley/domain/event/eventtest"
	"github.com/parley-platform/parley/domain/fault"
	"github.com/parley-platform/parley/domain/fault/faulttest"
	"github.com/parley-platform/parley/domain/queues"
)

var support = queues.QueueDefined{TenantID: "acct", OrgID: "org", QueueID: "q-1", Queue: queues.Queue{ID: "q-1", Name: "Support",
	Description: "Orders",
	Agents:      []queues.Agent{{UserID: "u-1", IsPreferredAgent: true}}, AgentGroups: []string{"g-1"},
	Skills:             []queues.Skill{{SkillID: "s-1", MinProficiency: 50}},
	WaitTimeoutSeconds: 120, OnTimeout: queues.Fail}}

func define(change ...func(*queues.DefineQueue)) queues.DefineQueue {
	c := queues.DefineQueue{TenantID: "acct", OrgID: "org", ID: "q-1", Name: "Support", Description: "Orders",
		Agents:      []queues.Agent{{UserID: "u-1", IsPreferredAgent: true}},
		AgentGroups: []string{"g-1"}, Skills: []queues.Skill{{SkillID: "s-1", MinProficiency: 50}}}
	for _, f := range change {
		f(&c)
	}
	return c
}

func TestAQueueIsDefinedOnce(t *testing.T) {
	got, err := define().Decide(queues.State{})
	require.NoError(t, err)
	require.Equal(t, []event.Payload{support}, got)
	got, err = define().Decide(queues.Queues.State(support))
	require.NoError(t, err)
	require.Empty(t, got)
	got, err = define(func(c *queues.DefineQueue) { c.WaitTimeoutSeconds, c.OnTimeout = 30, queues.Voicemail }).Decide(
		queues.Queues.State(support))
	require.NoError(t, err)
	require.Len(t, got, 1)
}

func TestNamesOfQueuesAreUniqueInTheOrganisation(t *testing.T) {
	_, err := define(func(c *queues.DefineQueue) { c.ID = "q-2" }).Decide(queues.Queues.State(support))
	require.True(t, fault.Is(err, fault.Conflict))
	removed, err := queues.RemoveQueue{TenantID: "acct", OrgID: "org", ID: "q-1"}.Decide(queues.Queues.State(support))
	require.NoError(t, err)
	require.Len(t, removed, 1)
	gone := queues.Queues.State(append([]event.Payload{support}, removed...)...)
	again, err := queues.RemoveQueue{TenantID: "acct", OrgID: "org", ID: "q-1"}.Decide(gone)
	require.NoError(t, err)
	require.Empty(t, again)
	_, err = define(func(c *queues.DefineQueue) { c.ID = "q-2" }).Decide(gone)
	require.NoError(t, err)
}

func TestWrongFieldsOfAQueue(t *testing.T) {
	many := make([]string, queues.Most+1)
	for i := range many {
		many[i] = fmt.Sprint(i)
	}
	for field, edits := range map[string][]func(*queues.DefineQueue){
		"metadata.id":   {func(c *queues.DefineQueue) { c.ID = "q-" }, func(c *queues.DefineQueue) { c.ID = "1" }},
		"metadata.name": {func(c *queues.DefineQueue) { c.Name = "" }},
		"spec.description": {func(c *queues.DefineQueue) { c.Description = strings.Repeat("x", 257) }, func(c *queues.DefineQueue) {
			c.Description = "\x00"
		}},
		"spec.agents[1].userId": {func(c *queues.DefineQueue) { c.Agents = []queues.Agent{{UserID: "u"}, {UserID: "u"}} },
			func(c *queues.DefineQueue) { c.Agents = append(c.Agents, queues.Agent{}) }},
		"spec.agentGroups[0]":           {func(c *queues.DefineQueue) { c.AgentGroups = []string{"a b"} }},
		"spec.skills[0].minProficiency": {func(c *queues.DefineQueue) { c.Skills = []queues.Skill{{SkillID: "s", MinProficiency: 101}} }},
		"spec.waitTimeoutSeconds": {func(c *queues.DefineQueue) { c.WaitTimeoutSeconds = -1 }, func(c *queues.DefineQueue) {
			c.WaitTimeoutSeconds = queues.MaxWait + 1
		}},
		"spec.onTimeout": {func(c *queues.DefineQueue) { c.OnTimeout = "music" }},
		"spec":           {func(c *queues.DefineQueue) { c.AgentGroups = many }},
	} {
		for _, edit := range edits {
			_, err := define(edit).Decide(queues.State{})
			require.Equal(t, []string{field}, faulttest.Fields(t, err))
		}
	}
	_, err := define(func(c *queues.DefineQueue) {
		c.WaitTimeoutSeconds, c.AgentGroups, c.Description = queues.MaxWait, many[1:], strings.Repeat("ü", 256)
	}).Decide(queues.State{})
	require.NoError(t, err)
}

func TestTheEventsOnTheLogStillDecode(t *testing.T) {
	eventtest.Golden(t, queues.Queues.Category, "testdata/events", support, queues.QueueRemoved{TenantID: "acct", OrgID: "org",
		QueueID: "q-1"})
}

func TestTwoOrganisationsNeverShareAStream(t *testing.T) {
	require.NotEqual(t, queues.Stream("a", "b-c"), queues.Stream("a-b", "c"))
}
