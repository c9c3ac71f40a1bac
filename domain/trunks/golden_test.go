package trunks_test

import (
	"testing"

	"github.com/parley-platform/parley/domain/event/eventtest"
	"github.com/parley-platform/parley/domain/trunks"
)

func TestTheEventsOnTheLogStillDecode(t *testing.T) {
	eventtest.Golden(t, trunks.Trunks.Category, "testdata/events",
		peer, local, trunks.TrunkRemoved{TenantID: "acct", Name: "carrier"})
}
