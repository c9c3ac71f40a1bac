// Package queues owns what the queues of an organisation are: who serves them, what
// they ask for, and how long one waits in them.
//
// It never holds who is waiting, and does not know whether the agents, groups and
// skills that a queue names exist: a queue may be defined before its agents.
package queues

import (
	"github.com/parley-platform/parley/domain/access"
	"github.com/parley-platform/parley/domain/event"
)

// Queues holds one stream per organisation (see Stream). Its rules:
//
//   - a queue's name is unique in the organisation
//   - a definition repeated changes nothing
var Queues = event.NewAggregate[State]("queues", "queues", event.Quiet)

// Stream names the stream of an organisation's queues. The separator is a character
// that no id can hold, so that two pairs of ids never share a stream.
func Stream(tenantID, orgID string) string { return Queues.Stream(tenantID + "." + orgID) }

// IDPrefix begins the id of every queue.
const IDPrefix = "q-"

// OnTimeout is what becomes of a conversation that waited too long.
type OnTimeout string

// What a queue does on a timeout: take a voicemail, or give the conversation back as failed.
const (
	Voicemail OnTimeout = "voicemail"
	Fail      OnTimeout = "fail"
)

// How long one waits in a queue, in seconds.
const (
	DefaultWait = 120
	MaxWait     = 86_400
)

// State is the state of one organisation's stream.
type State struct {
	Queues map[string]Queue // by id
}

// Queue is one queue. Its JSON is the API's, which shows the first five members.
type Queue struct {
	ID                 string    `json:"id"` // q-...
	Name               string    `json:"name"`
	Description        string    `json:"description"`
	Agents             []Agent   `json:"agents"`
	AgentGroups        []string  `json:"agentGroups"` // ids of groups whose agents serve the queue too
	Skills             []Skill   `json:"skills"`      // an agent needs all of them
	WaitTimeoutSeconds int       `json:"waitTimeoutSeconds"`
	OnTimeout          OnTimeout `json:"onTimeout"`
}

// Agent is an agent who is listed in a queue.
type Agent struct {
	UserID           string `json:"userId" jsonschema:"required,minLength=1,maxLength=128" jsonschema_description:"The agent's userId, or the agent's own id." doc:"The agent's userId, or the agent's own id."`
	IsPreferredAgent bool   `json:"isPreferredAgent" jsonschema_description:"Whether it is asked before the others." doc:"Whether it is asked before the others."`
}

// Skill is what a queue asks of its agents.
type Skill struct {
	SkillID        string `json:"skillId" jsonschema:"required,minLength=1,maxLength=128" jsonschema_description:"The skill's id."`
	MinProficiency int    `json:"minProficiency" jsonschema:"minimum=0,maximum=100" jsonschema_description:"The least proficiencyLevel."`
}

// ByName finds the queue with a name.
func (s State) ByName(name string) (Queue, bool) {
	for _, q := range s.Queues { // at most one can match
		if access.SameName(q.Name, name) {
			return q, true
		}
	}
	return Queue{}, false
}
