// Package retention owns for how long projects keep what is personal: days by kind, and when
// it is looked next whether something is older.
//
// It neither looks for anything nor forgets it: each day it asks for a job of domain/erasures,
// which does for what is too old what it does for a person.
package retention

import (
	"maps"
	"time"

	"github.com/parley-platform/parley/domain/event"
)

// Rules holds one stream per project: retention-<tenant>.<project>.
var Rules = event.NewAggregate[State]("retentions", "retention", event.Quiet)

// Stream names the rules of a project.
func Stream(tenantID, projectID string) string { return Rules.Stream(tenantID + "." + projectID) }

// Kind is what days are said of.
type Kind string

// The kinds, and from when on their age counts.
const (
	Calls         Kind = "calls"         // with sessions and conversations of channels, transfers and notifications: from their end
	Conversations Kind = "conversations" // what was said and noted: from the end, or the last event of one that nobody ends
	Recordings    Kind = "recordings"    // voicemails with their transcripts: from when they were recorded
	Messages      Kind = "messages"      // texts: from when they were sent or given up
)

// Kinds are all of them, as the API names them.
func Kinds() []Kind { return []Kind{Calls, Conversations, Recordings, Messages} }

// The bounds of a rule, in days.
const (
	MinDays = 1
	MaxDays = 36500
)

// Days is for how long what is personal is kept, by kind; a kind that is not there is kept for
// ever.
type Days map[Kind]int

// Kept is days by kind, 0 where a kind is kept for ever.
func Kept(calls, conversations, recordings, messages int) Days {
	d := Days{Calls: calls, Conversations: conversations, Recordings: recordings, Messages: messages}
	maps.DeleteFunc(d, func(_ Kind, days int) bool { return days == 0 })
	return d
}

const (
	day   = 24 * time.Hour
	every = day // between two looks
)

// before is from when on something is too old.
func (d Days) before(at time.Time) map[Kind]time.Time {
	out := make(map[Kind]time.Time, len(d))
	for kind, days := range d {
		out[kind] = event.Stamp(at.Add(-time.Duration(days) * day))
	}
	return out
}

// State is what a project says; the zero value keeps everything for ever.
type State struct {
	TenantID  string
	ProjectID string
	Days      Days
	NextAt    time.Time // of the next look; zero: none
}

// Exists reports whether the project has ever said something.
func (s State) Exists() bool { return s.ProjectID != "" }

// Still is what of the times of an earlier look counts by what the project says by now: nothing of a kind that it keeps for ever
// again, and an earlier time of one that it keeps for longer.
func (s State) Still(before map[Kind]time.Time, at time.Time) map[Kind]time.Time {
	if !s.Exists() {
		return before
	}
	now, out := s.Days.before(at), map[Kind]time.Time{}
	for kind, then := range before {
		if t, limited := now[kind]; limited && t.Before(then) {
			out[kind] = t
		} else if limited {
			out[kind] = then
		}
	}
	return out
}
