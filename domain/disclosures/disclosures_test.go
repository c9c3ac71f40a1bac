package disclosures_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/parley-platform/parley/domain/disclosures"
	"github.com/parley-platform/parley/domain/event"
	"github.com/parley-platform/parley/domain/event/eventtest"
	"github.com/parley-platform/parley/domain/fault"
)

var (
	t0   = time.Date(2026, 11, 23, 9, 0, 0, 0, time.UTC)
	made = disclosures.Made{DisclosureID: "dc-1", TenantID: "acct", Streams: map[string]int{"calls": 2}, At: t0}
)

func TestTheEventsOnTheLogStillDecode(t *testing.T) {
	eventtest.Golden(t, disclosures.Disclosures.Category, "testdata/events", made)
}

func TestADisclosureIsMadeOnce(t *testing.T) {
	c := disclosures.Make{DisclosureID: "dc-1", TenantID: "acct", Streams: map[string]int{"calls": 2}, At: t0}
	got, err := c.Decide(disclosures.State{})
	require.NoError(t, err)
	require.Equal(t, []event.Payload{made}, got)
	_, err = c.Decide(disclosures.Disclosures.State(made))
	require.True(t, fault.Is(err, fault.Conflict))
}
