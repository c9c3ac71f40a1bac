package humanagents

import (
	"bytes"
	"encoding/json"
	"reflect"
	"time"

	"github.com/parley-platform/parley/domain/access"
	"github.com/parley-platform/parley/domain/event"
	"github.com/parley-platform/parley/domain/fault"
)

// DefineHumanAgent makes or changes an agent (manifest kind HumanAgent).
type DefineHumanAgent struct {
	TenantID string
	OrgID    string
	ID       string  // metadata.id: a-...
	Given    Given   // spec; what it leaves out has its default
	Profile  Profile // spec
	At       time.Time
}

// HumanAgentDefined says what the agent now is, and what its definition says.
type HumanAgentDefined struct {
	TenantID     string    `json:"tenantId"`
	OrgID        string    `json:"orgId"`
	HumanAgentID string    `json:"agentId"`
	Agent        Record    `json:"agent"`
	Declared     Record    `json:"declared"`
	CreatedAt    time.Time `json:"createdAt"`
	UpdatedAt    time.Time `json:"updatedAt"`
}

var _ = event.Register[HumanAgentDefined](Organisations, "human-agent-defined", 1)

// Decide changes what differs from the last definition; what was updated since stays.
func (c DefineHumanAgent) Decide(o Organisation) ([]event.Payload, error) {
	var f fault.Fields
	access.CheckPrefixedID(&f, "metadata.id", c.ID, IDPrefix)
	if err := f.Err(); err != nil {
		return nil, err
	}
	declared := c.Given.over(fresh(c.TenantID, c.OrgID, c.ID))
	declared.Profile = c.Profile
	if err := declared.check("spec.", c.Given); err != nil {
		return nil, err
	}
	old, exists := o.Agents[c.ID]
	if exists && reflect.DeepEqual(old.Declared, declared) {
		return nil, nil
	}
	now, at := declared, event.Stamp(c.At)
	created := at
	if exists {
		now, created = changed(old.Record, old.Declared, declared), old.CreatedAt
	}
	if err := o.emailFree(c.ID, now.EmailID); err != nil {
		return nil, err
	}
	return []event.Payload{HumanAgentDefined{TenantID: c.TenantID, OrgID: c.OrgID, HumanAgentID: c.ID, Agent: now, Declared: declared,
		CreatedAt: created, UpdatedAt: at}}, nil
}

// changed is the present record with those members replaced that differ between two
// definitions.
func changed(present, before, after Record) Record {
	members := func(r Record) map[string]json.RawMessage {
		out := map[string]json.RawMessage{}
		data, _ := json.Marshal(r) // texts, numbers and lists of them: cannot fail
		_ = json.Unmarshal(data, &out)
		return out
	}
	now, was := members(present), members(before)
	for name, value := range members(after) {
		if !bytes.Equal(was[name], value) {
			now[name] = value
		}
	}
	var out Record
	data, _ := json.Marshal(now)
	_ = json.Unmarshal(data, &out)
	return out
}

func (o Organisation) emailFree(id, emailID string) error {
	if other, taken := o.Emails[EmailKey(emailID)]; taken && other != id {
		return fault.New(fault.Conflict, "emailId %s belongs to another agent", emailID)
	}
	return nil
}

// Apply folds the event.
func (e HumanAgentDefined) Apply(o *Organisation) {
	o.put(Agent{Record: e.Agent, Declared: e.Declared, CreatedAt: e.CreatedAt, UpdatedAt: e.UpdatedAt})
}
