package flows_test

import (
	"testing"

	"github.com/parley-platform/parley/domain/event/eventtest"
	"github.com/parley-platform/parley/domain/flows"
)

func TestTheEventsOnTheLogStillDecode(t *testing.T) {
	eventtest.Golden(t, flows.Flows.Category, "testdata/events",
		sales, flows.FlowRemoved{TenantID: "acct", ProjectID: "shop", FlowID: "cf-1", Name: "Sales", Number: "+15550100"})
}
