package docks_test

import (
	"testing"

	"github.com/parley-platform/parley/domain/docks"
	"github.com/parley-platform/parley/domain/event/eventtest"
)

func TestTheEventsOnTheLogStillDecode(t *testing.T) {
	eventtest.Golden(t, docks.Docks.Category, "testdata/events", lookup, renew,
		docks.Deployed{TenantID: "acct", ProjectID: "shop", Kind: docks.Tool, ID: "lookup", Name: "Look up an order", Version: 1, Content: []byte(`{"url":"https://api.example.com/orders"}`), JobID: "ds-1", At: at},
		docks.Removed{TenantID: "acct", ProjectID: "shop", Kind: docks.Tool, ID: "lookup", Name: "Look up an order"})
	eventtest.Golden(t, docks.Jobs.Category, "testdata/deploymentjobs",
		docks.JobRequested{JobID: "ds-1", TenantID: "acct", ProjectID: "shop", Kind: docks.Workflow, ID: "renew", Async: true, At: at},
		docks.JobSucceeded{Version: 1, At: at}, docks.JobFailed{Reason: "the workflow renew refers to a tool, not defined in the project: lookup", At: at})
}
