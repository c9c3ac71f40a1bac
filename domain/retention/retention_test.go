package retention_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/parley-platform/parley/domain/event"
	"github.com/parley-platform/parley/domain/event/eventtest"
	"github.com/parley-platform/parley/domain/fault/faulttest"
	"github.com/parley-platform/parley/domain/retention"
)

var (
	t0     = time.Date(2026, 11, 24, 9, 0, 0, 0, time.UTC)
	first  = t0.Add(time.Hour)
	next   = first.Add(24 * time.Hour)
	set    = retention.RulesSet{TenantID: "acme", ProjectID: "shop", Days: retention.Kept(90, 0, 1, 0), NextAt: &first, At: t0}
	looked = retention.Looked{TenantID: "acme", ProjectID: "shop", ErasureID: "er-1", NextAt: next, At: first,
		Before: map[retention.Kind]time.Time{retention.Calls: first.AddDate(0, 0, -90), retention.Recordings: first.AddDate(0, 0, -1)}}
	unset = retention.RulesSet{TenantID: "acme", ProjectID: "shop", Days: retention.Days{}, At: t0}
)

func TestTheEventsOnTheLogStillDecode(t *testing.T) {
	eventtest.Golden(t, retention.Rules.Category, "testdata/events", set, looked)
}

func TestForHowLongThingsAreKept(t *testing.T) {
	says := func(days retention.Days) retention.Set {
		return retention.Set{TenantID: "acme", ProjectID: "shop", Days: days, At: t0}
	}
	look := func(at time.Time) retention.Look { return retention.Look{ErasureID: "er-1", At: at} }
	again := retention.Looked{TenantID: "acme", ProjectID: "shop", ErasureID: "er-1", NextAt: next.Add(25 * time.Hour),
		At: next.Add(time.Hour), Before: map[retention.Kind]time.Time{retention.Calls: next.Add(time.Hour).AddDate(0, 0, -90),
			retention.Recordings: next.Add(time.Hour).AddDate(0, 0, -1)}}
	for name, c := range map[string]struct {
		given []event.Payload
		when  interface {
			Decide(retention.State) ([]event.Payload, error)
		}
		then []event.Payload
	}{
		"a project says it":                       {nil, says(set.Days), []event.Payload{set}},
		"once":                                    {[]event.Payload{set}, says(set.Days), nil},
		"and takes it back":                       {[]event.Payload{set}, says(nil), []event.Payload{unset}},
		"who never said it has nothing to unsay":  {nil, says(nil), nil},
		"there is time to take it back":           {[]event.Payload{set}, look(first.Add(-time.Millisecond)), nil},
		"then it is looked":                       {[]event.Payload{set}, look(first), []event.Payload{looked}},
		"not twice":                               {[]event.Payload{set, looked}, look(first), nil},
		"and a day later again":                   {[]event.Payload{set, looked}, look(next.Add(time.Hour)), []event.Payload{again}},
		"but not where it was taken back":         {[]event.Payload{set, looked, unset}, look(next), nil},
		"nor where nobody ever said anything":     {nil, look(next), nil},
		"what is said again is looked anew later": {[]event.Payload{set, looked, unset}, says(set.Days), []event.Payload{set}},
	} {
		got, err := c.when.Decide(retention.Rules.State(c.given...))
		require.NoError(t, err, name)
		require.Equal(t, c.then, got, name)
	}
	at, err := retention.Set{ProjectID: "shop", Days: set.Days, Grace: time.Second, At: t0}.Decide(retention.State{})
	require.NoError(t, err)
	require.Equal(t, t0.Add(time.Second), *at[0].(retention.RulesSet).NextAt)
	require.False(t, retention.State{}.Exists())
	require.True(t, retention.Rules.State(unset).Exists())
}

func TestDaysThatAreNone(t *testing.T) {
	for field, days := range map[string]retention.Days{
		"days.calls": {retention.Calls: 0}, "days.messages": {retention.Messages: retention.MaxDays + 1}, "days.shoes": {"shoes": 3},
	} {
		_, err := retention.Set{Days: days, At: t0}.Decide(retention.State{})
		require.Equal(t, []string{field}, faulttest.Fields(t, err))
	}
	_, err := retention.Set{Days: retention.Days{retention.Messages: retention.MaxDays, retention.Conversations: retention.MinDays}, At: t0}.
		Decide(retention.State{})
	require.NoError(t, err)
}

// What is said behind a look takes back what it was to forget, and adds nothing.
func TestWhatIsSaidBehindALook(t *testing.T) {
	before, days := looked.Before, func(kinds ...int) retention.Days { return retention.Kept(kinds[0], kinds[1], kinds[2], kinds[3]) }
	longer := map[retention.Kind]time.Time{retention.Calls: first.AddDate(0, 0, -100)}
	for name, c := range map[string]struct {
		given []event.Payload
		then  map[retention.Kind]time.Time
	}{
		"nothing was ever said": {nil, before},
		"the same":              {[]event.Payload{set, looked}, before},
		"for ever":              {[]event.Payload{set, looked, unset}, map[retention.Kind]time.Time{}},
		"for longer, and one for ever": {[]event.Payload{set, looked, retention.RulesSet{ProjectID: "shop", Days: days(100, 0, 0, 0)}},
			longer},
		"for less, and one more": {[]event.Payload{set, looked, retention.RulesSet{ProjectID: "shop", Days: days(9, 9, 1, 0)}}, before},
	} {
		require.Equal(t, c.then, retention.Rules.State(c.given...).Still(before, first), name)
	}
}
