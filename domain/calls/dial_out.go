package calls

import (
	"encoding/json"
	"slices"
	"time"

	"github.com/parley-platform/parley/domain/callerurl"
	"github.com/parley-platform/parley/domain/event"
	"github.com/parley-platform/parley/domain/fault"
)

// ProviderLocal is the simulated carrier, which serves a call that names no other.
const ProviderLocal = "local"

// DefaultDialWindow is how long a requested call waits for a dialer.
const DefaultDialWindow = time.Minute

// DialOut asks for a call. The fields of the request body are those of dial-out: a nil
// pointer or slice is an absent member.
type DialOut struct {
	CallID    string // bare UUID; conversationId of every notification
	SID       string // of the carrier leg, promised in the response
	TenantID  string
	ProjectID string
	AccountID string
	At        time.Time
	DialBy    time.Time // zero: At + DefaultDialWindow

	BotID                 string
	Target                string
	OurNumber             string
	NotifyURL             string            // with nothing secret in it once it is decided on
	NotifyURLSealed       string            // the whole of it, if that holds a secret
	NotifyHeaders         map[string]string // checked here, and never stored
	NotifyHeadersSealed   string            // what is stored of them; empty without headers
	TimeoutInMs           *int
	Trunk                 string // name of the trunk, resolved
	Provider              string // of that trunk; empty: ProviderLocal
	Metadata              json.RawMessage
	Timers                TimersGiven
	MachineDetection      string
	ThresholdWordCount    *int
	AmdEventsSubscription []string // nil: all; empty: none
	CallControlParameter  *CallControlParameter
	Flow                  Flow
	Campaign              *CampaignContact // nil: no campaign asked for the call
}

// Flow is the experience flow that our number names, and the agent that takes
// its calls, as they were when the call was asked for.
type Flow struct {
	ID        string `json:"id,omitempty"`
	Name      string `json:"name,omitempty"`
	AgentName string `json:"agentName,omitempty"` // empty: no agent takes the call
	StartText string `json:"startText,omitempty"` // what the agent says at answer
	Language  string `json:"language,omitempty"`
	Recorded  bool   `json:"recorded,omitempty"` // its calls are recorded
	Talks     bool   `json:"talks,omitempty"`    // the agent's source is more than a start text: whether it can be run is seen at the answer
}

func (f *Flow) clone() *Flow {
	if f == nil {
		return nil
	}
	out := *f
	return &out
}

// CampaignContact names the contact of a campaign's run that a call is made for.
type CampaignContact struct {
	CampaignID string `json:"campaignId"`
	RunID      string `json:"campaignInstanceId"`
	Contact    int    `json:"contact"` // its index in the run, from 0
}

func (c *CampaignContact) clone() *CampaignContact {
	if c == nil {
		return nil
	}
	out := *c
	return &out
}

// Requested is the call as it was asked for, with every default applied.
type Requested struct {
	CallID                string                `json:"callId"`
	SID                   string                `json:"sid"`
	TenantID              string                `json:"tenantId"`
	ProjectID             string                `json:"projectId"`
	AccountID             string                `json:"accountId"`
	BotID                 string                `json:"botId"`
	Target                string                `json:"target" personal:"callee"` // tel:+<digits> or sip:<user>@<host>[:<port>]
	OurNumber             string                `json:"caller"`
	NotifyURL             string                `json:"notifyUrl,omitempty"`                         // scheme, host and path
	NotifyURLSealed       string                `json:"notifyUrlSealed,omitempty" personal:"callee"` // the whole of it, where a query holds more
	NotifyHeadersSealed   string                `json:"notifyHeadersSealed,omitempty" personal:"callee"`
	TimeoutInMs           int                   `json:"timeoutInMs"`
	Trunk                 string                `json:"trunk,omitempty"`
	Provider              string                `json:"provider"`
	Metadata              json.RawMessage       `json:"metadata,omitempty" personal:"callee"`
	Timers                Timers                `json:"timers"`
	MachineDetection      DetectionMode         `json:"machineDetection"`
	ThresholdWordCount    int                   `json:"thresholdWordCount"`
	AmdEventsSubscription []Result              `json:"amdEventsSubscription,omitzero"` // absent: all; []: none
	CallControlParameter  *CallControlParameter `json:"callControlParameter,omitempty"`
	Flow                  Flow                  `json:"flow"`
	Campaign              *CampaignContact      `json:"campaign,omitempty"`
	At                    time.Time             `json:"at"`
	DialBy                time.Time             `json:"dialBy"`
}

var _ = event.Register[Requested](Calls, "requested", 1)

// Decide takes the request once.
func (c DialOut) Decide(s State) ([]event.Payload, error) {
	if err := c.Validate().Err(); err != nil {
		return nil, err
	}
	if problem := callerurl.Unsealed(c.NotifyURL); problem != "" {
		return nil, fault.Field("notifyurl", "%s", problem)
	}
	if s.Phase != PhaseNone {
		return nil, fault.New(fault.Conflict, "the call %s exists already", c.CallID)
	}
	return []event.Payload{c.requested()}, nil
}

func (c DialOut) requested() Requested {
	target, _ := NormalTarget(c.Target)
	r := Requested{
		CallID: c.CallID, SID: c.SID, TenantID: c.TenantID, ProjectID: c.ProjectID, AccountID: c.AccountID,
		BotID: c.BotID, Target: target, OurNumber: c.OurNumber,
		NotifyURL: c.NotifyURL, NotifyURLSealed: c.NotifyURLSealed, NotifyHeadersSealed: c.NotifyHeadersSealed,
		TimeoutInMs: DefaultTimeoutInMs, Trunk: c.Trunk, Provider: c.Provider, Metadata: cloneJSON(c.Metadata),
		Timers: c.Timers.withDefaults(), MachineDetection: DetectionMode(c.MachineDetection),
		ThresholdWordCount: DefaultThresholdWordCount, CallControlParameter: c.CallControlParameter.clone(),
		Flow: c.Flow, Campaign: c.Campaign.clone(), At: event.Stamp(c.At), DialBy: event.Stamp(c.DialBy),
	}
	if c.TimeoutInMs != nil {
		r.TimeoutInMs = *c.TimeoutInMs
	}
	if r.Provider == "" {
		r.Provider = ProviderLocal
	}
	if r.MachineDetection == "" {
		r.MachineDetection = DetectionDisabled
	}
	if c.ThresholdWordCount != nil {
		r.ThresholdWordCount = *c.ThresholdWordCount
	}
	if c.AmdEventsSubscription != nil {
		r.AmdEventsSubscription = make([]Result, 0, len(c.AmdEventsSubscription))
		for _, name := range c.AmdEventsSubscription {
			r.AmdEventsSubscription = append(r.AmdEventsSubscription, Result(name))
		}
	}
	if c.DialBy.IsZero() {
		r.DialBy = r.At.Add(DefaultDialWindow)
	}
	return r
}

// Apply keeps the request; from now on the call has a deadline.
func (e Requested) Apply(s *State) {
	e.Metadata = cloneJSON(e.Metadata)
	e.AmdEventsSubscription = slices.Clone(e.AmdEventsSubscription)
	e.CallControlParameter = e.CallControlParameter.clone()
	e.Campaign = e.Campaign.clone()
	s.Phase, s.Request, s.SID, s.Provider = PhaseRequested, e, e.SID, e.Provider
	s.LastSeen = e.At
	s.Attempt.Ask()
}
