package flows

import (
	"regexp"

	"github.com/parley-platform/parley/domain/access"
	"github.com/parley-platform/parley/domain/event"
	"github.com/parley-platform/parley/domain/fault"
)

// DefineFlow makes or changes an experience flow (manifest kind ExperienceFlow).
type DefineFlow struct {
	TenantID  string
	ProjectID string // spec.projectId, resolved
	ID        string // metadata.id: cf-...
	Name      string // metadata.name
	Number    string // spec.number
	AgentName string // spec.agentName; empty: none
	Language  string // spec.language; empty: the project's
	Recording bool   // spec.recording
}

// FlowDefined says what the flow now is.
type FlowDefined struct {
	TenantID  string `json:"tenantId"`
	ProjectID string `json:"projectId"`
	FlowID    string `json:"flowId"`
	Name      string `json:"name"`
	Number    string `json:"number"`
	AgentName string `json:"agentName,omitempty"`
	Language  string `json:"language,omitempty"`
	Recording bool   `json:"recording,omitempty"`
}

var _ = event.Register[FlowDefined](Flows, "defined", 1)

// Decide checks the definition by itself, then against the project's other flows.
func (c DefineFlow) Decide(s State) ([]event.Payload, error) {
	flow, err := c.flow()
	if err != nil {
		return nil, err
	}
	if old, exists := s.Flows[flow.ID]; exists && old == flow {
		return nil, nil
	}
	if other, taken := s.ByName(flow.Name); taken && other.ID != flow.ID {
		return nil, fault.New(fault.Conflict, "the flow name %q belongs to flow %s", flow.Name, other.ID)
	}
	if other, taken := s.ByNumber(flow.Number); taken && other.ID != flow.ID {
		return nil, fault.New(fault.Conflict, "the number %s belongs to flow %s", flow.Number, other.ID)
	}
	return []event.Payload{FlowDefined{TenantID: c.TenantID, ProjectID: c.ProjectID, FlowID: flow.ID, Name: flow.Name,
		Number: flow.Number, AgentName: flow.AgentName, Language: flow.Language, Recording: flow.Recording}}, nil
}

// userPart is what our number can be: a telephone number or the user of a SIP address.
var userPart = regexp.MustCompile(`^[A-Za-z0-9+*#_.~!-]{1,64}$`)

func (c DefineFlow) flow() (Flow, error) {
	var f fault.Fields
	access.CheckPrefixedID(&f, "metadata.id", c.ID, IDPrefix)
	access.CheckID(&f, "spec.projectId", c.ProjectID)
	name := access.CheckName(&f, "metadata.name", c.Name)
	if !userPart.MatchString(c.Number) {
		f.Add("spec.number", "must be 1 to 64 letters, digits or + * # _ . ~ ! - (the user part of the caller ID)")
	}
	flow := Flow{ID: c.ID, Name: name, Number: c.Number, Language: c.Language, Recording: c.Recording}
	if c.AgentName != "" {
		flow.AgentName = access.CheckName(&f, "spec.agentName", c.AgentName)
	}
	if c.Language != "" && !access.ValidLanguage(c.Language) {
		f.Add("spec.language", "must be a language tag such as en or de-AT")
	}
	return flow, f.Err()
}

// Apply folds the event.
func (e FlowDefined) Apply(s *State) {
	if s.Flows == nil {
		s.Flows = map[string]Flow{}
	}
	s.Flows[e.FlowID] = Flow{ID: e.FlowID, Name: e.Name, Number: e.Number, AgentName: e.AgentName, Language: e.Language,
		Recording: e.Recording}
}
