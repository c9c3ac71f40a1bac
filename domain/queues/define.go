package queues

import (
	"cmp"
	"fmt"
	"reflect"
	"strings"
	"unicode/utf8"

	"github.com/parley-platform/parley/domain/access"
	"github.com/parley-platform/parley/domain/event"
	"github.com/parley-platform/parley/domain/fault"
)

// DefineQueue makes or changes a queue (manifest kind Queue).
type DefineQueue struct {
	TenantID           string
	OrgID              string
	ID                 string    // metadata.id: q-...
	Name               string    // metadata.name
	Description        string    // spec.description
	Agents             []Agent   // spec.agents
	AgentGroups        []string  // spec.agentGroups
	Skills             []Skill   // spec.skills
	WaitTimeoutSeconds int       // spec.waitTimeoutSeconds; 0: DefaultWait
	OnTimeout          OnTimeout // spec.onTimeout; empty: Fail
}

// QueueDefined says what the queue now is.
type QueueDefined struct {
	TenantID string `json:"tenantId"`
	OrgID    string `json:"orgId"`
	QueueID  string `json:"queueId"`
	Queue    Queue  `json:"queue"`
}

var _ = event.Register[QueueDefined](Queues, "queue-defined", 1)

// Most is how many agents, groups or skills a queue can name.
const Most = 1000

// Decide checks the definition by itself, then against the organisation's other queues.
func (c DefineQueue) Decide(s State) ([]event.Payload, error) {
	q, err := c.queue()
	if err != nil {
		return nil, err
	}
	if old, exists := s.Queues[q.ID]; exists && reflect.DeepEqual(old, q) {
		return nil, nil
	}
	if other, taken := s.ByName(q.Name); taken && other.ID != q.ID {
		return nil, fault.New(fault.Conflict, "the queue name %q belongs to queue %s", q.Name, other.ID)
	}
	return []event.Payload{QueueDefined{TenantID: c.TenantID, OrgID: c.OrgID, QueueID: q.ID, Queue: q}}, nil
}

func (c DefineQueue) queue() (Queue, error) {
	var f fault.Fields
	access.CheckPrefixedID(&f, "metadata.id", c.ID, IDPrefix)
	name := access.CheckName(&f, "metadata.name", c.Name)
	if !utf8.ValidString(c.Description) || utf8.RuneCountInString(c.Description) > 256 || strings.ContainsRune(c.Description, 0) {
		f.Add("spec.description", "must be at most 256 characters of valid UTF-8")
	}
	seen := map[string]bool{}
	once := func(field, id string) {
		switch {
		case !access.ValidID(id):
			f.Add(field, "must be 1 to %d letters, digits, _ or -", access.MaxIDLength)
		case seen[field[:strings.Index(field, "[")]+" "+id]:
			f.Add(field, "names %s twice", id)
		}
		seen[field[:strings.Index(field, "[")]+" "+id] = true
	}
	for i, a := range c.Agents {
		once(fmt.Sprintf("spec.agents[%d].userId", i), a.UserID)
	}
	for i, g := range c.AgentGroups {
		once(fmt.Sprintf("spec.agentGroups[%d]", i), g)
	}
	for i, k := range c.Skills {
		once(fmt.Sprintf("spec.skills[%d].skillId", i), k.SkillID)
		if k.MinProficiency < 0 || k.MinProficiency > 100 {
			f.Add(fmt.Sprintf("spec.skills[%d].minProficiency", i), "must be 0 to 100")
		}
	}
	if max(len(c.Agents), len(c.AgentGroups), len(c.Skills)) > Most {
		f.Add("spec", "names more than %d agents, groups or skills", Most)
	}
	wait := cmp.Or(c.WaitTimeoutSeconds, DefaultWait)
	if wait < 1 || wait > MaxWait {
		f.Add("spec.waitTimeoutSeconds", "must be 1 to %d", MaxWait)
	}
	then := cmp.Or(c.OnTimeout, Fail)
	if then != Voicemail && then != Fail {
		f.Add("spec.onTimeout", "must be %s or %s", Voicemail, Fail)
	}
	return Queue{ID: c.ID, Name: name, Description: c.Description, Agents: append([]Agent{}, c.Agents...), AgentGroups: append([]string{},
		c.AgentGroups...),
		Skills: append([]Skill{}, c.Skills...), WaitTimeoutSeconds: wait, OnTimeout: then}, f.Err()
}

// Apply folds the event.
func (e QueueDefined) Apply(s *State) {
	if s.Queues == nil {
		s.Queues = map[string]Queue{}
	}
	s.Queues[e.QueueID] = e.Queue
}
