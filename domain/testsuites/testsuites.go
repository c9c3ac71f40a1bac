// Package testsuites owns what is expected of agents: suites of cases, each a conversation
// with what must be so after its turns, and the playing of a case.
//
// A case is played purely: its session is a state in memory, no stream of it is written, and
// nothing outside is asked. Which runs of a suite there were is the business of package
// testruns.
package testsuites

import (
	"encoding/json"

	"github.com/parley-platform/parley/domain/event"
	"github.com/parley-platform/parley/domain/fault"
)

// Suites holds one stream per project (see Stream). Its rules:
//
//   - a suite's name is unique in the project, a case's name in its suite
//   - a suite names the agent that its cases begin with
//   - a definition repeated changes nothing
var Suites = event.NewAggregate[State]("testsuites", "testsuites", event.Quiet)

// Stream names the stream of a project's suites.
func Stream(tenantID, projectID string) string { return Suites.Stream(tenantID + "." + projectID) }

// OwnPrefix begins the name by which the TESTS of an agent's source are run as a suite:
// agent:greeter. No suite of a manifest has such a name.
const OwnPrefix = "agent:"

// State is the state of one project's stream.
type State struct {
	Suites map[string]Suite // by id
}

// Named finds the suite with a name.
func (s State) Named(name string) (Suite, bool) {
	for _, suite := range s.Suites { // at most one can match
		if suite.Name == name {
			return suite, true
		}
	}
	return Suite{}, false
}

// Suite is a named set of cases.
type Suite struct {
	ID       string `json:"suiteId"`
	Name     string `json:"name"`
	Agent    string `json:"agent"`              // that cases begin with
	Language string `json:"language,omitempty"` // that is spoken unless a run says otherwise
	Cases    []Case `json:"cases"`
}

// Case is one conversation of a test.
type Case struct {
	Name    string  `json:"name"`
	Context Context `json:"context,omitzero"`
	Turns   []Turn  `json:"turns"`
}

// Context is what a case brings along, as testContext of chat-agent does. Its mocks answer in
// all of its turns, so that Times of one is of the whole case.
type Context struct {
	SkipOnStart      bool                       `json:"skipOnStart,omitempty"`
	StartAtStep      string                     `json:"startAtStep,omitempty"`
	GatherValues     map[string]json.RawMessage `json:"gatherValues,omitempty"`
	SessionVariables map[string]json.RawMessage `json:"sessionVariables,omitempty"`
	CallerContext    map[string]json.RawMessage `json:"callerContext,omitempty"`
	ToolMocks        []Mock                     `json:"toolMocks,omitempty"`
}

// Mock answers in place of a tool: with Result, or with Error.
type Mock struct {
	Tool    string          `json:"tool"`
	When    string          `json:"when,omitempty"` // a condition, which sees args
	Result  json.RawMessage `json:"result,omitempty"`
	Error   string          `json:"error,omitempty"`
	DelayMs int             `json:"delayMs,omitempty"`
	Times   int             `json:"times,omitempty"` // 0: always
}

// Turn is what the user says or chooses, and what is expected of the answer.
type Turn struct {
	User   string          `json:"user,omitempty"`
	Action string          `json:"action,omitempty"` // the id of what is chosen
	Value  json.RawMessage `json:"value,omitempty"`  // with it
	Expect *Expect         `json:"expect,omitempty"` // nil: nothing
}

// Expect has what must be so after a turn; what is not written is not looked at.
type Expect struct {
	Say        *string                    `json:"say,omitempty"`      // all that is said in the turn, joined by line ends
	Contains   []string                   `json:"contains,omitempty"` // each is in it
	Action     string                     `json:"action,omitempty"`   // continue, suspended, escalated, end
	Step       string                     `json:"step,omitempty"`     // where the flow stands
	Agent      string                     `json:"agent,omitempty"`    // who is at it
	ModelCalls *int                       `json:"modelCalls,omitempty"`
	Gathered   map[string]json.RawMessage `json:"gathered,omitempty"` // slots of the suite's agent
	Session    map[string]json.RawMessage `json:"session,omitempty"`  // variables
	Tools      []string                   `json:"tools,omitempty"`    // that are called in the turn, in this order
}

// Steps is how many turns of the case are judged: those that expect something, or, where none
// does, the last one, which has to come to its end.
func (c Case) Steps() (n int) {
	for i := range c.Turns {
		if c.judges(i) {
			n++
		}
	}
	return n
}

func (c Case) judges(turn int) bool {
	if c.Turns[turn].Expect != nil {
		return true
	}
	for _, t := range c.Turns {
		if t.Expect != nil {
			return false
		}
	}
	return turn == len(c.Turns)-1
}

// Steps is how many turns of all cases are judged.
func Steps(cases []Case) (n int) {
	for _, c := range cases {
		n += c.Steps()
	}
	return n
}

// Unknown is the refusal of a suite that is not there.
func Unknown() error { return fault.New(fault.NotFound, "there is no such test suite") }
