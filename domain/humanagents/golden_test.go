package humanagents_test

import (
	"testing"

	"github.com/parley-platform/parley/domain/event"
	"github.com/parley-platform/parley/domain/event/eventtest"
	"github.com/parley-platform/parley/domain/humanagents"
)

func TestTheEventsOnTheLogStillDecode(t *testing.T) {
	body := "{"
	for i, m := range optional {
		if i > 0 {
			body += ","
		}
		body += `"` + m.row + `":` + m.value
	}
	g := given(t, body+"}")
	whole := define("a-1", g)
	whole.Profile = humanagents.Profile{HoursOfOperationID: "h-1", AgentAffinity: true, ProfImage: "https://acme.example/maria.png",
		SIPURI: "sip:maria@acme.example", Role: "Lead"}
	g.LastName = "Voss"
	remove := humanagents.RemoveHumanAgent{TenantID: "acct", OrgID: "org", ID: "a-1", At: noon}
	eventtest.Golden(t, humanagents.Organisations.Category, "testdata/organisations", history(t, nil, whole.Decide, update("a-1", g).Decide,
		remove.Decide)...)

	var desks []event.Payload
	desks = desk(t, desks, presence(humanagents.Available, "Ready", 0), claim("1", 1), claim("2", 2), confirm("1", 3))
	desks = append(desks[:2], desks[3:]...) // one of each kind
	released, err := release("1", 4).Decide(humanagents.Desks.State(desks...))
	if err != nil {
		t.Fatal(err)
	}
	eventtest.Golden(t, humanagents.Desks.Category, "testdata/humanagents", append(desk(t, desks, take("t-1", 3)), released...)...)
}
