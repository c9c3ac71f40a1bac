package projectsettings_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/parley-platform/parley/domain/completions"
	"github.com/parley-platform/parley/domain/event"
	"github.com/parley-platform/parley/domain/fault"
	settings "github.com/parley-platform/parley/domain/projectsettings"
)

func reached(month string, percent int, budget, spent float64) settings.BudgetReached {
	return settings.BudgetReached{TenantID: "acme", ProjectID: "shop", Month: month, Percent: percent,
		BudgetPico: completions.Pico(budget), SpentPico: completions.Pico(spent), Unpriced: 2, At: noon}
}

func TestEachPartOfAMonthsBudgetIsToldOnce(t *testing.T) {
	larger := first
	larger.Version, larger.VersionID, larger.Budgets.MonthUSD = 2, "ps-2", 120
	none := first
	none.Budgets.MonthUSD = 0
	most, all := reached("2026-11", 80, 100, 80), reached("2026-11", 100, 100, 100)
	for name, c := range map[string]struct {
		given []event.Payload
		month string
		spent float64
		then  []event.Payload
	}{
		"little is spent": {[]event.Payload{first}, "2026-11", 79.99, nil},
		"most is":         {[]event.Payload{first}, "2026-11", 80, []event.Payload{most}},
		"twice":           {[]event.Payload{first, most}, "2026-11", 99, nil},
		"all is":          {[]event.Payload{first, most}, "2026-11", 100, []event.Payload{all}},
		"late, and all at once": {[]event.Payload{first}, "2026-11", 300, []event.Payload{reached("2026-11", 80, 100, 300),
			reached("2026-11", 100, 100, 300)}},
		"out of order":      {[]event.Payload{first, most, all}, "2026-11", 85, nil},
		"in the next month": {[]event.Payload{first, most, all}, "2026-12", 90, []event.Payload{reached("2026-12", 80, 100, 90)}},
		"of the last month, late": {[]event.Payload{first, reached("2026-12", 80, 100, 90)}, "2026-11", 80,
			[]event.Payload{most}},
		"of a larger sum, once more": {[]event.Payload{first, most, all, larger}, "2026-11", 100,
			[]event.Payload{reached("2026-11", 80, 120, 100)}},
		"of the first sum, not again": {[]event.Payload{first, most, all, larger, first}, "2026-11", 101, nil},
		"without a budget":            {[]event.Payload{none}, "2026-11", 100, nil},
		"without settings":            {nil, "2026-11", 100, nil},
	} {
		tell := settings.Tell{TenantID: "acme", ProjectID: "shop", Month: c.month, SpentPico: completions.Pico(c.spent), Unpriced: 2, At: noon}
		got, err := tell.Decide(settings.ProjectSettings.State(c.given...))
		require.NoError(t, err, name)
		require.Equal(t, c.then, got, name)
	}
}

// Given years of budgets, then what was told of the last months is in mind, and what is newer goes on.
func TestWhatWasToldIsBounded(t *testing.T) {
	past := []event.Payload{first}
	for i := range 40 {
		past = append(past, reached(fmt.Sprint("month ", i), 80, 100, 80))
	}
	s := settings.ProjectSettings.State(past...)
	require.Len(t, s.Told, 24)
	require.Equal(t, "month 39", s.Told[23].Month)
}

func TestASpentMonthIsRefused(t *testing.T) {
	b := settings.Budgets{MonthUSD: 20}
	require.NoError(t, b.Spent("2026-11", completions.Pico(20)-1))
	require.NoError(t, settings.Budgets{}.Spent("2026-11", 1<<60))
	err := b.Spent("2026-11", completions.Pico(20.5))
	require.Equal(t, fault.BudgetExceeded, fault.CodeOf(err))
	require.ErrorContains(t, err, "for 2026-11, monthUsd of its settings, is spent: 20.5 of 20 USD")
	require.Equal(t, "2026-12", settings.Month(time.Date(2026, 11, 30, 23, 30, 0, 0, time.FixedZone("", -3600))))
}
