// Package deployables owns what is deployed for the agents of a project to use: its workflows
// and tools as they are defined, which version of each is live, and the jobs that
// deploy them.
//
// It never runs a workflow or calls a tool: the agent runtime does, with what is live.
package deployables

import (
	"encoding/json"

	"github.com/parley-platform/parley/domain/access"
	"github.com/parley-platform/parley/domain/event"
)

// Docks holds one stream per project (see Stream). Its rules:
//
//   - a workflow or a tool is known by its id; its name is unique among its kind
//   - every change of what it does is a new version, counted from 1
//   - what is deployed is frozen: a later change of the definition is not live
//   - a workflow is deployed only while every tool that it refers to is defined
var Docks = event.NewAggregate[State]("docks", "docks", event.Quiet)

// Stream names the stream of a project's workflows and tools.
func Stream(tenantID, projectID string) string { return Docks.Stream(tenantID + "." + projectID) }

// Kind is what can be deployed.
type Kind string

// The kinds.
const (
	Workflow Kind = "workflow"
	Tool     Kind = "tool"
)

// State is the state of one project's stream.
type State struct {
	Workflows map[string]Definition // by id
	Tools     map[string]Definition // by id
}

// Definition is one workflow or tool as it was last defined, and what of it is live.
type Definition struct {
	ID          string
	Name        string
	Description string
	ToolType    ToolType        // of a tool
	Content     json.RawMessage `json:",omitempty"` // what it does: of a workflow its Steps, of a tool its settings
	Version     int             // from 1
	Live        int             // the deployed version; 0: none
	LiveContent json.RawMessage `json:",omitempty"` // of that version
}

// Find is a definition by its kind and id.
func (s State) Find(kind Kind, id string) (Definition, bool) {
	d, ok := s.of(kind)[id]
	return d, ok
}

func (s State) of(kind Kind) map[string]Definition {
	if kind == Tool {
		return s.Tools
	}
	return s.Workflows
}

func (s *State) put(kind Kind, d Definition) {
	all := &s.Workflows
	if kind == Tool {
		all = &s.Tools
	}
	if *all == nil {
		*all = map[string]Definition{}
	}
	(*all)[d.ID] = d
}

// named finds another definition of the kind with the name.
func (s State) named(kind Kind, name, notID string) (Definition, bool) {
	for id, d := range s.of(kind) {
		if id != notID && access.SameName(d.Name, name) {
			return d, true
		}
	}
	return Definition{}, false
}
