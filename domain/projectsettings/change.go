package projectsettings

import (
	"slices"
	"strings"
	"time"

	"github.com/parley-platform/parley/domain/access"
	"github.com/parley-platform/parley/domain/agents"
	"github.com/parley-platform/parley/domain/completions"
	"github.com/parley-platform/parley/domain/event"
	"github.com/parley-platform/parley/domain/fault"
)

// Change gives a project other settings (manifest kind ProjectSettings).
type Change struct {
	TenantID  string
	ProjectID string
	VersionID string // of the version that is made
	Settings
	CreatedBy string
	At        time.Time
}

// Changed says that the project has a version more, which holds from now on.
type Changed struct {
	TenantID  string `json:"tenantId"`
	ProjectID string `json:"projectId"`
	VersionID string `json:"versionId"`
	Version   int    `json:"version"`
	Settings
	CreatedBy string    `json:"createdBy"`
	At        time.Time `json:"at"`
}

var _ = event.Register[Changed](ProjectSettings, "changed", 1)

// Decide refuses what can never hold, and makes no version of what holds already.
func (c Change) Decide(s State) ([]event.Payload, error) {
	var f fault.Fields
	c.Models.check(&f)
	c.Languages.check(&f)
	c.Limits.check(&f)
	c.Budgets.check(&f)
	c.Sessions.check(&f)
	if c.AssistingAgent != "" && !agents.ValidName(c.AssistingAgent) {
		f.Add("spec.assistingAgent", "must be the name of an agent")
	}
	if err := f.Err(); err != nil {
		return nil, err
	}
	if s.Version > 0 && s.same(c.Settings) {
		return nil, nil
	}
	return []event.Payload{c.made(s)}, nil
}

func (c Change) made(s State) Changed {
	return Changed{TenantID: c.TenantID, ProjectID: c.ProjectID, VersionID: c.VersionID, Version: s.Version + 1,
		Settings:  c.plain(),
		CreatedBy: c.CreatedBy, At: event.Stamp(c.At)}
}

// Clear has the server's own settings hold again (prune). That is a version as well.
type Clear struct {
	TenantID  string
	ProjectID string
	VersionID string
	CreatedBy string
	At        time.Time
}

// Decide does nothing where the newest version says nothing.
func (c Clear) Decide(s State) ([]event.Payload, error) {
	if s.Empty() {
		return nil, nil
	}
	return []event.Payload{Change{TenantID: c.TenantID, ProjectID: c.ProjectID, VersionID: c.VersionID, CreatedBy: c.CreatedBy,
		At: c.At}.made(s)}, nil
}

// Empty reports whether the project leaves all to the server.
func (s State) Empty() bool { return s.same(Settings{}) }

// Apply folds the event.
func (e Changed) Apply(s *State) { s.Version, s.ID, s.Settings = e.Version, e.VersionID, e.Settings }

const (
	mostModels    = 20 // of a tier
	mostLanguages = 50
	mostMessages  = 100_000
	mostSessions  = 1_000_000

	leastUSD       = 0.0001
	mostSessionUSD = 10_000
	mostMonthUSD   = 1_000_000
	leastIdle      = 5 // minutes
	mostIdle       = 30 * 24 * 60
)

func (m Models) check(f *fault.Fields) {
	if m.Default != "" && !completions.ValidModelID(m.Default) {
		f.Add("spec.models.default", "must be the id of a model")
	}
	if m.DefaultTier != "" && !slices.Contains(completions.Tiers(), m.DefaultTier) {
		f.Add("spec.models.defaultTier", "must be %s", tiers())
	}
	if m.Default != "" && m.DefaultTier != "" {
		f.Add("spec.models.defaultTier", "does not go with spec.models.default")
	}
	for tier, ids := range m.Tiers {
		at := "spec.models.tiers." + tier
		switch {
		case !slices.Contains(completions.Tiers(), tier):
			f.Add("spec.models.tiers", "may have %s, not %q", tiers(), tier)
		case len(ids) == 0 || len(ids) > mostModels:
			f.Add(at, "must name 1 to %d models", mostModels)
		case slices.ContainsFunc(ids, func(id string) bool { return !completions.ValidModelID(id) }):
			f.Add(at, "must hold ids of models")
		case twice(ids):
			f.Add(at, "names a model twice")
		}
	}
}

func tiers() string { return strings.Join(completions.Tiers(), ", ") }

func twice(all []string) bool {
	sorted := slices.Sorted(slices.Values(all))
	return len(slices.Compact(sorted)) < len(all)
}

func (l Languages) check(f *fault.Fields) {
	if l.Default != "" && !access.ValidLanguage(l.Default) {
		f.Add("spec.languages.default", "must be a language tag such as en or de-AT")
	}
	switch {
	case len(l.Allowed) > mostLanguages:
		f.Add("spec.languages.allowed", "may have at most %d", mostLanguages)
	case slices.ContainsFunc(l.Allowed, func(tag string) bool { return !access.ValidLanguage(tag) }):
		f.Add("spec.languages.allowed", "must hold language tags such as en or de-AT")
	case twice(l.Allowed):
		f.Add("spec.languages.allowed", "names a language twice")
	default:
		if _, ok := l.Choose(l.Default); !ok {
			f.Add("spec.languages.default", "is none of spec.languages.allowed")
		}
	}
}

func (l Limits) check(f *fault.Fields) {
	if l.MessagesPerMinute < 0 || l.MessagesPerMinute > mostMessages {
		f.Add("spec.limits.messagesPerMinute", "must be 1 to %d; left out it is the server's", mostMessages)
	}
	if l.ConcurrentSessions < 0 || l.ConcurrentSessions > mostSessions {
		f.Add("spec.limits.concurrentSessions", "must be 1 to %d; left out it is the server's", mostSessions)
	}
}

func (b Budgets) check(f *fault.Fields) {
	usd := func(field string, of, most float64) {
		if of != 0 && !(of >= leastUSD && of <= most) { // NaN is neither
			f.Add("spec.budgets."+field, "must be %v to %v US dollars; left out there is no bound", leastUSD, most)
		}
	}
	usd("sessionUsd", b.SessionUSD, mostSessionUSD)
	usd("monthUsd", b.MonthUSD, mostMonthUSD)
}

func (s Sessions) check(f *fault.Fields) {
	if s.IdleMinutes != 0 && (s.IdleMinutes < leastIdle || s.IdleMinutes > mostIdle) {
		f.Add("spec.sessions.idleMinutes", "must be %d to %d; left out it is the server's", leastIdle, mostIdle)
	}
}
