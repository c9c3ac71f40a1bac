package humanagents

import (
	"reflect"
	"time"

	"github.com/parley-platform/parley/domain/event"
	"github.com/parley-platform/parley/domain/fault"
)

// UpdateHumanAgent changes an agent that there is (update-human-agent): the required
// members are all there, absent optional ones keep their value.
type UpdateHumanAgent struct {
	TenantID string
	OrgID    string
	ID       string
	Given    Given
	At       time.Time
}

// HumanAgentUpdated says what the agent now is.
type HumanAgentUpdated struct {
	TenantID     string    `json:"tenantId"`
	OrgID        string    `json:"orgId"`
	HumanAgentID string    `json:"agentId"`
	Agent        Record    `json:"agent"`
	CreatedAt    time.Time `json:"createdAt"`
	UpdatedAt    time.Time `json:"updatedAt"`
}

var _ = event.Register[HumanAgentUpdated](Organisations, "human-agent-updated", 1)

// Decide refuses an agent that is not there and an e-mail that another one has.
func (c UpdateHumanAgent) Decide(o Organisation) ([]event.Payload, error) {
	old, exists := o.Agents[c.ID]
	if !exists {
		return nil, fault.New(fault.NotFound, "there is no such agent")
	}
	now := c.Given.over(old.Record)
	if err := now.check("", c.Given); err != nil {
		return nil, err
	}
	if err := o.emailFree(c.ID, now.EmailID); err != nil {
		return nil, err
	}
	if reflect.DeepEqual(old.Record, now) {
		return nil, nil
	}
	return []event.Payload{HumanAgentUpdated{TenantID: c.TenantID, OrgID: c.OrgID, HumanAgentID: c.ID, Agent: now, CreatedAt: old.CreatedAt,
		UpdatedAt: event.Stamp(c.At)}}, nil
}

// Apply folds the event.
func (e HumanAgentUpdated) Apply(o *Organisation) {
	o.put(Agent{Record: e.Agent, Declared: o.Agents[e.HumanAgentID].Declared, CreatedAt: e.CreatedAt, UpdatedAt: e.UpdatedAt})
}
