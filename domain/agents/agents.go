// Package agents owns the AI agents of a project: their names, the source text that
// describes what they do, and the versions that were cut from it.
//
// An agent's identity (who it is called), its working copy (what it does) and its
// versions are events of their own. States have hashes of sources instead of sources,
// which a read model keeps: a project's stream is folded for each command. The package
// reads only the start text out of a source; compiling the whole is not its business, and
// it never runs anything.
package agents

import (
	"crypto/sha256"
	"encoding/base64"
	"strconv"
	"time"

	"github.com/parley-platform/parley/domain/event"
)

// Agents holds one stream per project (see Stream). Its rules:
//
//   - an agent's name is unique in the project
//   - its source is a YAML document whose start text can be read
//   - a definition repeated changes nothing, even if the working copy moved on since
//   - a working copy that is saved may be anything; a version is never changed
var Agents = event.NewAggregate[State]("agents", "agents", event.Quiet)

// Stream names the stream of a project's agents. The separator is a character that
// no id can hold, so that two pairs of ids never share a stream.
func Stream(tenantID, projectID string) string { return Agents.Stream(tenantID + "." + projectID) }

// State is the state of one project's stream.
type State struct {
	Agents   map[string]Agent  // by id
	Versions map[string][]Hash // by id, of agents that are gone too; the first is that of version "1"
}

// Agent is one AI agent.
type Agent struct {
	ID          string
	Name        string
	Description string
	CreatedAt   time.Time // zero: before events said so
	Working     Hash      // of the working copy
	Declared    Hash      // of what its last definition says
}

// Newest is the version of an agent that was saved last; empty: none was.
func (s State) Newest(id string) string {
	if n := len(s.Versions[id]); n > 0 {
		return strconv.Itoa(n)
	}
	return ""
}

// Hash names a source: its SHA-256, in base64 for URLs.
type Hash string

// HashOf is the hash of a source.
func HashOf(source string) Hash {
	sum := sha256.Sum256([]byte(source))
	return Hash(base64.RawURLEncoding.EncodeToString(sum[:]))
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
