package campaigns

import (
	"time"

	"github.com/parley-platform/parley/domain/event"
	"github.com/parley-platform/parley/domain/fault"
	"github.com/parley-platform/parley/domain/texts"
)

// Start begins a run (trigger=play). The handler counts the contacts and reads what
// the flow's agent says; a Paused campaign is resumed instead, with Resume.
type Start struct {
	RunID          string // cid-<uuid>, derived from the request
	Contacts       int    // in all of its contact lists; 0 is refused
	MessageText    string // of sms: what is sent; empty is refused
	CallsCompleted *int   // of all runs so far, for who repeats the request
	At             time.Time
}

// Started says that a run is under way. It carries all that the run is made of, as it
// was at that moment: what is changed afterwards is another run's, except the contacts,
// which are read from the lists when their turn comes.
//
// What a run does:
//
//   - Lists go in the order of ContactLists, contacts in their stored order. A list that
//     is not there any more is skipped. A number that several lists hold is reached once
//     in a pass.
//   - Nobody is reached unless Hours.Open says so at that moment: Hours.Next tells
//     when to go on, Hours.Close until when one may. What is under way is not cut off.
//   - Of all campaigns that compete, the one with the higher Priority goes first, 5
//     before 1.
//   - One pass reaches each contact once, and the run is then completed. If it is
//     Recurring, it waits instead and begins its next pass at Hours.NextPass, at most one
//     on each local day, until it has made MaxPasses; contacts are read anew.
//   - A voice call shows our number (caller), is taken by flow FlowID, and is made with
//     machineDetection disconnect if MachineDetect, else disabled. A message is
//     MessageText, from our number.
//   - The run ends early with Updated or Removed whose endedInstanceId is this
//     campaignInstanceId: nobody is reached any more, and nothing need be reported.
//   - Paused and Resumed name this campaignInstanceId.
type Started struct {
	TenantID       string    `json:"tenantId"`
	ProjectID      string    `json:"projectId"`
	CampaignID     string    `json:"campaignId"`
	RunID          string    `json:"campaignInstanceId"`
	Name           string    `json:"name"`
	Kind           Kind      `json:"campaignType"`
	Priority       int       `json:"priority"`
	OurNumber      string    `json:"caller"`
	Hours          Hours     `json:"callingHours"`
	ContactLists   []string  `json:"contactLists"`
	FlowID         string    `json:"experienceFlow"`
	FlowName       string    `json:"experienceFlowName"`
	MachineDetect  bool      `json:"enableMachineDetect,omitempty"`
	Recurring      bool      `json:"recurring,omitempty"`
	Format         string    `json:"format,omitempty"`      // of the message, as the user named it
	MessageText    string    `json:"messageText,omitempty"` // of sms
	At             time.Time `json:"at"`
	CallsCompleted *int      `json:"callsCompleted,omitempty"` // of all runs, as the answer told it
}

var _ = event.Register[Started](Campaigns, "started", 1)

// MaxPasses bounds a recurring run: a year of daily passes.
const MaxPasses = 366

// Decide refuses a second run beside the one that is under way, naming it, and a run
// that would reach nobody or say nothing.
func (c Start) Decide(s State) ([]event.Payload, error) {
	switch d := s.Definition; {
	case !s.Exists():
		return nil, noCampaign()
	case s.Running():
		return nil, s.alreadyRunning()
	case c.Contacts == 0:
		return nil, fault.New(fault.Conflict, "none of the campaign's contact lists (%s) holds a contact: there is nobody to reach",
			listed(d.ContactLists))
	case d.Kind == SMS && c.MessageText == "":
		return nil, fault.New(fault.Conflict, "the experience flow %q says nothing: its agent needs a start text (ON_START, SAY), which is the "+
			"message", d.FlowName)
	case d.Kind == SMS && texts.Problem(c.MessageText) != "":
		return nil, fault.New(fault.Conflict, "the start text of the experience flow %q is the message, which %s", d.FlowName,
			texts.Problem(c.MessageText))
	}
	d := s.Definition
	return []event.Payload{Started{TenantID: s.TenantID, ProjectID: s.ProjectID, CampaignID: s.ID, RunID: c.RunID, Name: d.Name,
		Kind: d.Kind, Priority: d.Priority,
		OurNumber: d.OurNumber, Hours: d.Hours, ContactLists: d.ContactLists, FlowID: d.FlowID, FlowName: d.FlowName,
		MachineDetect: d.MachineDetect &&
			d.Kind == Voice, Recurring: d.Recurring(),
		Format: d.Format, MessageText: c.messageOf(d.Kind), CallsCompleted: c.CallsCompleted, At: c.At}}, nil
}

func (c Start) messageOf(k Kind) string {
	if k == SMS {
		return c.MessageText
	}
	return ""
}

// alreadyRunning is the refusal that names the run (docs/api-rules.md "Campaign").
func (s State) alreadyRunning() *fault.Error {
	e := fault.New(fault.Conflict, "the campaign is %s already, with campaignInstanceId %s", s.Status, s.RunID)
	e.Details = []fault.Detail{{Field: "campaignInstanceId", Problem: s.RunID}}
	return e
}

// Apply folds the event.
func (e Started) Apply(s *State) {
	s.Status, s.RunID, s.UpdatedAt = Active, e.RunID, e.At
}
