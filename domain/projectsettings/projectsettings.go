// Package projectsettings owns what a project may choose for itself beside its agents: which
// models it asks, in which languages it talks, how much of it there may be, and who assists people.
//
// Each change is a version, which a deployment may name. The package never looks whether there
// is a model, and counts nothing: who asks a model, or begins a session, reads the settings.
package projectsettings

import (
	"reflect"
	"strings"

	"github.com/parley-platform/parley/domain/completions"
	"github.com/parley-platform/parley/domain/event"
)

// ProjectSettings holds one stream per project (see Stream). Its rules:
//
//   - versions are numbered from 1; one that was made stays as it is, and can be named for ever
//   - settings that say what the newest version says make no version
//   - that most of a month's budget is spent, and that all of it is, is told once of each sum
var ProjectSettings = event.NewAggregate[State]("projectsettings", "projectsettings", event.Quiet)

// Stream names the stream of a project's settings.
func Stream(tenantID, projectID string) string {
	return ProjectSettings.Stream(tenantID + "." + projectID)
}

// IDPrefix is what ids of versions begin with.
const IDPrefix = "ps-"

// State is the state of one project's stream.
type State struct {
	Version int    // the newest; 0: there is none
	ID      string // of that version
	Settings
	Told []Part // of budgets, the last ones
}

// Settings are what one version says. What is left out is as the server has it.
type Settings struct {
	Models    Models    `json:"models,omitzero"`
	Languages Languages `json:"languages,omitzero"`
	Limits    Limits    `json:"limits,omitzero"`
	Budgets   Budgets   `json:"budgets,omitzero"`
	Sessions  Sessions  `json:"sessions,omitzero"`

	AssistingAgent string `json:"assistingAgent,omitempty"` // by name; empty: the entry agent of what is deployed
}

// Models say which models answer.
type Models struct {
	Default     string              `json:"default,omitempty"`     // a model's id, where a request names neither model nor tier
	DefaultTier string              `json:"defaultTier,omitempty"` // the same, of a tier
	Tiers       map[string][]string `json:"tiers,omitempty"`       // ids of models by tier, in place of those that the tier has
}

// Languages are those of sessions.
type Languages struct {
	Default string   `json:"default,omitempty"` // of a session that begins without one
	Allowed []string `json:"allowed,omitempty"` // of those that name one; empty: any
}

// Choose is the language of a session that asks for one, or for none. ok is false where the
// project does not talk in it. Who talks German talks that of Austria, too.
func (l Languages) Choose(asked string) (language string, ok bool) {
	if asked == "" {
		return l.Default, true
	}
	if len(l.Allowed) == 0 {
		return asked, true
	}
	for _, allowed := range l.Allowed {
		tag, within := strings.ToLower(asked), strings.ToLower(allowed)
		if tag == within || strings.HasPrefix(tag, within+"-") {
			return asked, true
		}
	}
	return "", false
}

// Limits are bounds of a project below those of the server; 0: the server's alone.
type Limits struct {
	MessagesPerMinute  int `json:"messagesPerMinute,omitempty"` // of one session
	ConcurrentSessions int `json:"concurrentSessions,omitempty"`
}

// Budgets are what models may cost, in US dollars; 0: no bound. What has no known price is not
// counted against them.
type Budgets struct {
	SessionUSD float64 `json:"sessionUsd,omitempty"` // of each session that begins
	MonthUSD   float64 `json:"monthUsd,omitempty"`   // of all that the project asks in a month of UTC
}

// SessionPico is the budget of a session in pico-dollars, MonthPico that of a month.
func (b Budgets) SessionPico() int64 { return completions.Pico(b.SessionUSD) }

// MonthPico is SessionPico of a month.
func (b Budgets) MonthPico() int64 { return completions.Pico(b.MonthUSD) }

// Sessions are the sessions that begin.
type Sessions struct {
	IdleMinutes int `json:"idleMinutes,omitempty"` // without a message, until they end by themselves; 0: the server's
}

// plain is what is said without what is empty, which is the same as left out.
func (s Settings) plain() Settings {
	if len(s.Models.Tiers) == 0 {
		s.Models.Tiers = nil
	}
	if len(s.Languages.Allowed) == 0 {
		s.Languages.Allowed = nil
	}
	return s
}

func (s Settings) same(other Settings) bool { return reflect.DeepEqual(s.plain(), other.plain()) }
