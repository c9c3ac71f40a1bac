package agents_test

import (
	"testing"

	"github.com/parley-platform/parley/domain/agents"
	"github.com/parley-platform/parley/domain/event/eventtest"
)

func TestTheEventsOnTheLogStillDecode(t *testing.T) {
	eventtest.Golden(t, agents.Agents.Category, "testdata/events",
		greeter, working, agents.AgentRemoved{TenantID: "acct", ProjectID: "shop", AgentID: "a-1", Name: "greeter"},
		saved("a: ["), version("1", source))
}
