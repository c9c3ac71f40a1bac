package sessions

import (
	"encoding/json"
	"time"

	"github.com/parley-platform/parley/domain/dsl"
	"github.com/parley-platform/parley/domain/fault"
)

// Pinned is the source of an agent that a session goes by for as long as it lives.
type Pinned struct {
	Version int    `json:"version,omitempty"` // 0: a working copy, as it was when the session began
	Hash    string `json:"hash"`              // SHA-256 of the source, as it is kept by

	Override dsl.Override `json:"override,omitzero"` // of its MODEL, by the deployment
}

// Begun is how a session that takes messages was begun: by which deployment, with which
// sources. One that a call opened has none of it.
type Begun struct {
	DeploymentID string            `json:"deploymentId,omitempty"` // empty: working copies
	Environment  string            `json:"environment,omitempty"`
	Manifest     map[string]Pinned `json:"manifest"` // of each agent that the entry agent can reach, by its name
	Language     string            `json:"language,omitempty"`
	Test         bool              `json:"test,omitempty"`       // begun with a testContext: not counted in reports
	BudgetPico   int64             `json:"budgetPico,omitempty"` // pico-dollars that its models may cost; absent: no bound
	Assists      string            `json:"assists,omitempty"`    // the conversation between people that it assists, by its id
	Patience

	Variables map[string]json.RawMessage `json:"variables,omitempty" personal:"customer"` // session.* to begin with
	Caller    map[string]json.RawMessage `json:"caller,omitempty" personal:"customer"`    // caller.*

	Before []Forwarded `json:"before,omitempty"` // what was said elsewhere: whoever handed the conversation over has told it
}

// Forwarded is a text of a conversation that was led elsewhere before.
type Forwarded struct {
	Agent string `json:"agent,omitempty"` // who said it, as they are called there; empty: the user
	Text  string `json:"text" personal:"customer"`
}

// A session is concurrent while something was said in it, or it was begun, in the last
// ConcurrentFor; MostConcurrent are what one tenant has of them unless said otherwise.
const (
	ConcurrentFor  = 15 * time.Minute
	MostConcurrent = 1_000
)

// AssistChannel is the channel of sessions in which an agent assists people in a conversation.
const AssistChannel = "assist"

// Takes refuses what comes to a session that takes nothing any more, or never has: to one of a
// call only what its callee says is a message, and to one that assists people only what is said in
// their conversation.
func (s State) Takes(what string) error {
	switch {
	case s.Status == "":
		return fault.New(fault.NotFound, "there is no such session")
	case s.Status == Ended:
		return fault.New(fault.Conflict, "the session has ended")
	case s.CallID != "" || s.Talk.Manifest == nil:
		return fault.New(fault.Conflict, "the session is one of a call and takes no %s", what)
	case s.Talk.Assists != "":
		return fault.New(fault.Conflict, "the session assists people in a conversation and takes no %s of others", what)
	}
	return nil
}

// Talk is where the conversation of a session stands.
type Talk struct {
	Begun
	Agent     string // who is at it
	Greeted   bool   // the agent has said what it begins with, before any message
	Step      string // of that agent's flow; empty: it has not begun
	Waits     Waiting
	Shown     Shown
	Frames    []Frame // who gets the conversation back: the last of them first
	Slots     map[string]map[string]json.RawMessage
	Sensitive map[string][]string // the slots of each agent that are masked where they are shown
	Vars      map[string]json.RawMessage
	Visits    map[string]int  // of steps since the beginning, by agent and step
	Running   *Running        // nil: the last turn has ended
	Calls     int             // that were ever opened, through resets
	History   []Line          // what a model sees of it
	Lines     int             // texts that there ever were in it
	Views     map[string]View // of agents that see another part of it than all
	Trimmed   int             // lines that went of it, and nobody was told
	Led       int             // turns in which the user talked to the model that leads the step
	Unsure    []Unsure
	Cancelled int          // the last turn that was cut off
	Memory    []Remembered // what is known of stores
	People    *People      // who has the conversation in place of the agent; nil: nobody
	Raised    []string     // each ESCALATE that has escalated, for as long as its WHEN holds
	Place     string       // of a delegate: which one it is; empty: the conversation itself
	For       []string     // of a delegate: the agents whose work it does a part of, the first one first
	Figures

	Escalations int // that there ever were, through resets
	Transferred int // the turn of the last transfer that people took, through resets
}

// Figures are counted from the first message on, through resets.
type Figures struct {
	Turns    int `json:"turns"`
	Messages int `json:"messages"` // of both sides
	Traces   int `json:"traces"`   // trace events
	Errors   int `json:"errors"`   // turns that failed
	Handoffs int `json:"handoffs"`
}

// MostFrames is how many agents may wait to get the conversation back, and MostUnsure how many writes
// a session keeps in mind of which nobody knows whether they were done: the oldest are forgotten, so
// that a session is no larger for going on and on.
const (
	MostFrames = 50
	MostUnsure = 200
)

// newest are the last of them, so many at most.
func newest[T any](all []T, most int) []T { return all[max(0, len(all)-most):] }

// Frame is an agent that handed the conversation over and gets it back.
type Frame struct {
	Agent string `json:"agent"`
	Step  string `json:"step"`
	Index int    `json:"index"` // of its HANDOFF, which says what happens then
}

// Waiting is what the session waits for between two turns.
type Waiting struct {
	For   WaitFor `json:"for"`
	Slot  string  `json:"slot,omitempty"`
	Tries int     `json:"tries,omitempty"`                   // of values for it that could not be read
	Tool  string  `json:"tool,omitempty"`                    // that is called when the user says yes
	Wish  string  `json:"wish,omitempty"`                    // the model's call that this is; absent: it is a step's
	Sum   string  `json:"sum,omitempty" personal:"customer"` // SHA-256 of what it is called with, which might be guessed
}

// WaitFor is one kind of it.
type WaitFor string

// The kinds.
const (
	ForMessage WaitFor = "message" // anything
	ForSlot    WaitFor = "slot"    // a value of one slot
	ForAction  WaitFor = "action"  // a choice among those that were shown
	ForModel   WaitFor = "model"   // anything: the model that leads the step hears it
	ForConfirm WaitFor = "confirm" // a yes, or a no, to the call of a tool
	ForPeople  WaitFor = "people"  // that they give the conversation back
)

// Shown is what could be chosen beside the texts of the last turn in which an agent said something.
type Shown struct {
	Turn int
	IDs  []string // of buttons, selects and their options, and inputs
}

// shows adds what goes with a text to what the turn shows.
func (t *Talk) shows(e Said) {
	if e.Turn != t.Shown.Turn {
		t.Shown = Shown{Turn: e.Turn}
	}
	for _, r := range e.Rich {
		t.Shown.IDs = append(t.Shown.IDs, r.ID)
		for _, o := range r.Options {
			t.Shown.IDs = append(t.Shown.IDs, o.ID)
		}
	}
}

// InTurn is what the events of a turn have in common.
type InTurn struct {
	Turn     int       `json:"turn"`               // from 1
	Test     bool      `json:"test,omitempty"`     // of a test session: in no report
	Delegate string    `json:"delegate,omitempty"` // where it happened; absent: in the conversation itself
	At       time.Time `json:"at"`
}

// Of is the same, of an event that embeds it.
func (e InTurn) Of() InTurn { return e }

// Visit is the key of Visits.
func Visit(agent, step string) string { return agent + "/" + step }

// LastActivity is when something was said last, or the session was opened.
func (s State) LastActivity() time.Time {
	if s.SaidAt.After(s.OpenedAt) {
		return s.SaidAt
	}
	return s.OpenedAt
}
