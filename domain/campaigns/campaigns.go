// Package campaigns owns what a campaign is and in which of its four states it is: who
// is to be reached (contact lists), by what (a voice call or a message), when (calling
// hours), and with which experience flow.
//
// It never dials and never counts: a run's pace, its calls and its totals are those of
// the engine, which begins with Started and reports with Complete. It reads no clock:
// calling hours are judged for a time that is given (Hours).
package campaigns

import (
	"strings"
	"time"

	"github.com/parley-platform/parley/domain/event"
)

// Campaigns holds one stream per campaign (see Stream). Its rules:
//
//   - Ready, Active, Paused, Completed: Start makes Active of Ready and Completed, with a
//     new run; Pause and Resume go between Active and Paused; Complete ends
//     the run that it names
//   - at most one run is under way, whichever nodes are asked to start it
//   - an Active campaign is not changed; changing a Paused one ends its run
//   - kind and project never change
var Campaigns = event.NewAggregate[State]("campaigns", "campaign", event.Quiet)

// Stream names the stream of a campaign. The separator is a character that no id can
// hold, so that two pairs of ids never share a stream.
func Stream(tenantID, campaignID string) string { return Campaigns.Stream(tenantID + "." + campaignID) }

// The prefixes of ids.
const (
	IDPrefix  = "cd-"  // of a campaign
	RunPrefix = "cid-" // of a run
)

// Status is what the API shows as status (docs/api-rules.md "Campaign").
type Status string

// The statuses.
const (
	Ready     Status = "Ready"     // defined or changed; nothing runs
	Active    Status = "Active"    // a run is under way, within calling hours or waiting for them
	Paused    Status = "Paused"    // a run is under way and reaches nobody until it is resumed
	Completed Status = "Completed" // the last run has reached its end
)

// Kind is how contacts are reached: campaignType of the API.
type Kind string

// The kinds.
const (
	Voice Kind = "voice"
	SMS   Kind = "sms"
)

// Definition is what the user says of a campaign: what an update replaces as a whole.
type Definition struct {
	Name              string   `json:"name"`
	Description       string   `json:"description"`
	Kind              Kind     `json:"campaignType"`
	Priority          int      `json:"priority"`     // 1 to 5; 5 goes first
	OurNumber         string   `json:"caller"`       // E.164; of sms also a short code or a sender id
	Hours             Hours    `json:"callingHours"` // always hold
	FlowID            string   `json:"experienceFlow"`
	FlowName          string   `json:"experienceFlowName"` // as it was when it was resolved
	ContactLists      []string `json:"contactLists"`       // names, in the order in which they are reached
	MachineDetect     bool     `json:"enableMachineDetect,omitempty"`
	SchedulingEnabled bool     `json:"isSchedulingEnabled,omitempty"`
	RecurrenceEnabled bool     `json:"isRecurrenceEnabled,omitempty"`
	Format            string   `json:"format"`
}

// LowerName is lname of the API.
func (d Definition) LowerName() string { return strings.ToLower(d.Name) }

// Recurring reports whether a run makes further passes: scheduling is the switch of
// the schedule, recurrence its one setting.
func (d Definition) Recurring() bool { return d.SchedulingEnabled && d.RecurrenceEnabled }

// State is the state of one campaign's stream.
type State struct {
	TenantID, ProjectID string
	ID                  string // cd-...; empty: there is none, or it was removed
	Definition          Definition
	Declared            Definition // what the manifest said that was applied last; zero: none was
	Status              Status
	RunID               string // cid-... of the run that is under way, else of the last one; empty: never started
	CreatedAt           time.Time
	UpdatedAt           time.Time
}

// Exists reports whether there is a campaign.
func (s State) Exists() bool { return s.ID != "" }

// Running reports whether a run is under way, paused or not.
func (s State) Running() bool { return s.Status == Active || s.Status == Paused }
