package deployables_test

import (
	"testing"

	"github.com/parley-platform/parley/domain/deployables"
	"github.com/parley-platform/parley/domain/event/eventtest"
)

func TestTheEventsOnTheLogStillDecode(t *testing.T) {
	eventtest.Golden(t, deployables.Docks.Category, "testdata/events", lookup, renew,
		deployables.Deployed{TenantID: "acct", ProjectID: "shop", Kind: deployables.Tool, ID: "lookup", Name: "Look up an order", Version: 1,
			Content: []byte(`{"url":"https://api.example.com/orders"}`), JobID: "ds-1", At: at},
		deployables.Removed{TenantID: "acct", ProjectID: "shop", Kind: deployables.Tool, ID: "lookup", Name: "Look up an order"})
	eventtest.Golden(t, deployables.Jobs.Category, "testdata/deploymentjobs",
		deployables.JobRequested{JobID: "ds-1", TenantID: "acct", ProjectID: "shop", Kind: deployables.Workflow, ID: "renew", Async: true,
			At: at},
		deployables.JobSucceeded{Version: 1, At: at},
		deployables.JobFailed{Reason: "the workflow renew refers to a tool, not defined in the project: lookup", At: at})
}
