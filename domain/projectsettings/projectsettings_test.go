package projectsettings_test

import (
	"fmt"
	"math"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/parley-platform/parley/domain/event"
	"github.com/parley-platform/parley/domain/event/eventtest"
	"github.com/parley-platform/parley/domain/fault/faulttest"
	settings "github.com/parley-platform/parley/domain/projectsettings"
)

var (
	noon = time.Date(2026, 11, 25, 12, 0, 0, 0, time.UTC)
	all  = settings.Settings{
		Models:    settings.Models{DefaultTier: "fast", Tiers: map[string][]string{"fast": {"own-small", "small"}}},
		Languages: settings.Languages{Default: "de-AT", Allowed: []string{"de", "en"}},
		Limits:    settings.Limits{MessagesPerMinute: 10, ConcurrentSessions: 50},
		Budgets:   settings.Budgets{SessionUSD: 0.5, MonthUSD: 100},
		Sessions:  settings.Sessions{IdleMinutes: 30},
	}
	first = settings.Changed{TenantID: "acme", ProjectID: "shop", VersionID: "ps-1", Version: 1, Settings: all, CreatedBy: "ann", At: noon}
)

func change(to settings.Settings) settings.Change {
	return settings.Change{TenantID: "acme", ProjectID: "shop", VersionID: "ps-2", Settings: to, CreatedBy: "ann", At: noon}
}

func TestEveryChangeOfSettingsIsAVersion(t *testing.T) {
	slower := all
	slower.Limits.MessagesPerMinute = 5
	helped := all
	helped.AssistingAgent = "helper"
	assisted := first
	assisted.VersionID, assisted.Version, assisted.Settings = "ps-2", 2, helped
	second := first
	second.VersionID, second.Version, second.Settings = "ps-2", 2, slower
	clear := settings.Clear{TenantID: "acme", ProjectID: "shop", VersionID: "ps-2", CreatedBy: "ann", At: noon}
	cleared := second
	cleared.Settings = settings.Settings{}
	nothing := cleared
	nothing.Version = 1
	for name, c := range map[string]struct {
		given []event.Payload
		when  func(settings.State) ([]event.Payload, error)
		then  []event.Payload
	}{
		"another limit":           {[]event.Payload{first}, change(slower).Decide, []event.Payload{second}},
		"an assisting agent":      {[]event.Payload{first}, change(helped).Decide, []event.Payload{assisted}},
		"the same once more":      {[]event.Payload{first}, change(all).Decide, nil},
		"nothing, the first time": {nil, change(settings.Settings{}).Decide, []event.Payload{nothing}},
		"nothing, once more": {[]event.Payload{nothing}, change(settings.Settings{
			Models: settings.Models{Tiers: map[string][]string{}}, Languages: settings.Languages{Allowed: []string{}}}).Decide, nil},
		"taken away":              {[]event.Payload{first}, clear.Decide, []event.Payload{cleared}},
		"taken away twice":        {[]event.Payload{first, cleared}, clear.Decide, nil},
		"taken away, never there": {nil, clear.Decide, nil},
	} {
		got, err := c.when(settings.ProjectSettings.State(c.given...))
		require.NoError(t, err, name)
		require.Equal(t, c.then, got, name)
	}
}

func TestSettingsThatCannotHold(t *testing.T) {
	many := make([]string, 51)
	for field, edit := range map[string]func(*settings.Settings){
		"spec.models.default":            func(s *settings.Settings) { s.Models = settings.Models{Default: "a b"} },
		"spec.models.defaultTier":        func(s *settings.Settings) { s.Models.DefaultTier = "huge" },
		"spec.models.tiers":              func(s *settings.Settings) { s.Models.Tiers = map[string][]string{"huge": {"a"}} },
		"spec.models.tiers.fast":         func(s *settings.Settings) { s.Models.Tiers = map[string][]string{"fast": {}} },
		"spec.models.tiers.balanced":     func(s *settings.Settings) { s.Models.Tiers = map[string][]string{"balanced": {"a", "a"}} },
		"spec.models.tiers.powerful":     func(s *settings.Settings) { s.Models.Tiers = map[string][]string{"powerful": {"a b"}} },
		"spec.languages.default":         func(s *settings.Settings) { s.Languages.Default = "fr" },
		"spec.languages.allowed":         func(s *settings.Settings) { s.Languages = settings.Languages{Allowed: many} },
		"spec.limits.messagesPerMinute":  func(s *settings.Settings) { s.Limits.MessagesPerMinute = -1 },
		"spec.limits.concurrentSessions": func(s *settings.Settings) { s.Limits.ConcurrentSessions = 1_000_001 },
		"spec.budgets.sessionUsd":        func(s *settings.Settings) { s.Budgets.SessionUSD = 0.00001 },
		"spec.budgets.monthUsd":          func(s *settings.Settings) { s.Budgets.MonthUSD = -1 },
		"spec.sessions.idleMinutes":      func(s *settings.Settings) { s.Sessions.IdleMinutes = 4 },
		"spec.assistingAgent":            func(s *settings.Settings) { s.AssistingAgent = "a b" },
	} {
		wrong := all
		edit(&wrong)
		_, err := change(wrong).Decide(settings.State{})
		require.Equal(t, []string{field}, faulttest.Fields(t, err))
	}
	for _, l := range []settings.Languages{{Allowed: []string{"?"}}, {Allowed: []string{"en", "en"}}} {
		_, err := change(settings.Settings{Languages: l}).Decide(settings.State{})
		require.Equal(t, []string{"spec.languages.allowed"}, faulttest.Fields(t, err))
	}
	_, err := change(settings.Settings{Languages: settings.Languages{Default: "?"}}).Decide(settings.State{})
	require.Equal(t, []string{"spec.languages.default"}, faulttest.Fields(t, err))
	_, err = change(settings.Settings{Models: settings.Models{Default: "a", DefaultTier: "fast"}}).Decide(settings.State{})
	require.Equal(t, []string{"spec.models.defaultTier"}, faulttest.Fields(t, err), "which of them is it?")
}

// Given as much as may be, then it is taken.
func TestHowMuchSettingsMaySay(t *testing.T) {
	var ids, tags []string
	for i := range 50 {
		tags = append(tags, fmt.Sprintf("en-x%d", i))
	}
	for i := range 20 {
		ids = append(ids, fmt.Sprint("m", i))
	}
	most := settings.Settings{Models: settings.Models{Tiers: map[string][]string{"fast": ids}}, Languages: settings.Languages{Allowed: tags},
		Limits:   settings.Limits{MessagesPerMinute: 100_000, ConcurrentSessions: 1_000_000},
		Budgets:  settings.Budgets{SessionUSD: 10_000, MonthUSD: 1_000_000},
		Sessions: settings.Sessions{IdleMinutes: 43_200}}
	require.EqualValues(t, 1e16, most.Budgets.SessionPico())
	require.EqualValues(t, 1e18, most.Budgets.MonthPico())
	_, err := change(most).Decide(settings.State{})
	require.NoError(t, err)
	for field, edit := range map[string]func(*settings.Settings){
		"spec.models.tiers.fast": func(s *settings.Settings) {
			s.Models.Tiers = map[string][]string{"fast": append(slices.Clone(ids), "one-more")}
		},
		"spec.limits.messagesPerMinute":  func(s *settings.Settings) { s.Limits.MessagesPerMinute++ },
		"spec.limits.concurrentSessions": func(s *settings.Settings) { s.Limits.ConcurrentSessions = -1 },
		"spec.budgets.sessionUsd":        func(s *settings.Settings) { s.Budgets.SessionUSD += 0.01 },
		"spec.budgets.monthUsd":          func(s *settings.Settings) { s.Budgets.MonthUSD = math.NaN() },
		"spec.sessions.idleMinutes":      func(s *settings.Settings) { s.Sessions.IdleMinutes++ },
	} {
		more := most
		edit(&more)
		_, err := change(more).Decide(settings.State{})
		require.Equal(t, []string{field}, faulttest.Fields(t, err))
	}
}

func TestTheLanguageOfASession(t *testing.T) {
	for _, c := range []struct {
		of          settings.Languages
		asked, want string
		ok          bool
	}{
		{settings.Languages{}, "", "", true},
		{settings.Languages{}, "fr", "fr", true},
		{all.Languages, "", "de-AT", true},
		{all.Languages, "de", "de", true},
		{all.Languages, "DE-ch", "DE-ch", true},
		{all.Languages, "en-GB", "en-GB", true},
		{all.Languages, "fr", "", false},
		{all.Languages, "den", "", false},
	} {
		got, ok := c.of.Choose(c.asked)
		require.Equal(t, []any{c.want, c.ok}, []any{got, ok}, "%+v", c)
	}
}

func TestTheEventsOnTheLogStillDecode(t *testing.T) {
	early := first // from before there were budgets
	early.Budgets, early.Sessions = settings.Budgets{}, settings.Sessions{}
	eventtest.Golden(t, settings.ProjectSettings.Category, "testdata/events", early, reached("2026-11", 80, 100, 80))
}
