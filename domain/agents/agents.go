// Package agents owns the AI agents of a project: their names and the source text
// that describes what they do.
//
// An agent's identity (who it is called) and its working copy (what it does) are
// events of their own, because more ways than a manifest will lead to a new working
// copy, and versions will be cut from it. The package reads only the start text out
// of a source; compiling the whole is not its business, and it never runs anything.
package agents

import (
	"github.com/parley-platform/parley/domain/event"
)

// Agents holds one stream per project (see Stream). Its rules:
//
//   - an agent's name is unique in the project
//   - its source is a YAML document whose start text can be read
//   - a definition repeated changes nothing, even if the working copy moved on since
var Agents = event.NewAggregate[State]("agents", "agents", event.Quiet)

// Stream names the stream of a project's agents. The separator is a character that
// no id can hold, so that two pairs of ids never share a stream.
func Stream(tenantID, projectID string) string { return Agents.Stream(tenantID + "." + projectID) }

// State is the state of one project's stream.
type State struct {
	Agents map[string]Agent // by id
}

// Agent is one AI agent.
type Agent struct {
	ID          string
	Name        string
	Description string
	DSL         string // the working copy
	DeclaredDSL string // what its last definition says
}

// ByName finds the agent with a name.
func (s State) ByName(name string) (Agent, bool) {
	for _, a := range s.Agents { // at most one can match
		if a.Name == name {
			return a, true
		}
	}
	return Agent{}, false
}
