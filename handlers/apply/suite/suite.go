// Package suite is what the manifest kind TestSuite says of the cases of a suite, and how that is
// read. It knows no plan and applies nothing.
package suite

import (
	"encoding/json"

	"github.com/parley-platform/parley/domain/testsuites"
)

// Spec is the spec of kind TestSuite; its metadata.name stands in paths.
type Spec struct {
	ProjectID string `json:"projectId" jsonschema:"required,minLength=1" jsonschema_description:"The project it belongs to, by id or alias."`
	AgentName string `json:"agentName" jsonschema:"required,minLength=1" jsonschema_description:"The AI agent of the project that each case begins with."`
	Language  string `json:"language,omitempty" jsonschema:"example=en,example=de-AT" jsonschema_description:"In which agents speak, unless a run says otherwise."`
	Cases     []Case `json:"cases" jsonschema:"required,minItems=1,maxItems=200" jsonschema_description:"Conversations, each by itself; together at most 256 KiB."`
}

// Case is one conversation of a TestSuite.
type Case struct {
	Name    string   `json:"name" jsonschema:"required,minLength=1,maxLength=100" jsonschema_description:"Unique in the suite."`
	Context *Context `json:"context,omitempty" jsonschema_description:"What the case brings along, as testContext of chat-agent does. Mocks answer in all of its turns."`
	Turns   []Turn   `json:"turns" jsonschema:"required,minItems=1,maxItems=50" jsonschema_description:"What the user does, one after the other."`
}

// Context is what a case brings along.
type Context struct {
	SkipOnStart      bool                       `json:"skipOnStart,omitempty" jsonschema_description:"ON_START is left out."`
	StartAtStep      string                     `json:"startAtStep,omitempty" jsonschema:"maxLength=128" jsonschema_description:"A step of the agent's flow, where it begins."`
	GatherValues     map[string]json.RawMessage `json:"gatherValues,omitempty" jsonschema_description:"Values of slots of the agent, by name; judged as if the user had said them."`
	SessionVariables map[string]json.RawMessage `json:"sessionVariables,omitempty" jsonschema_description:"session.* to begin with."`
	CallerContext    map[string]json.RawMessage `json:"callerContext,omitempty" jsonschema_description:"caller.*: userId, channel, and the members of customAttributes."`
	ToolMocks        []Mock                     `json:"toolMocks,omitempty" jsonschema:"maxItems=50" jsonschema_description:"What answers in place of tools; the first that fits."`
}

// Mock answers in place of a tool.
type Mock struct {
	Tool    string          `json:"tool" jsonschema:"required,minLength=1" jsonschema_description:"A tool that an agent declares."`
	When    string          `json:"when,omitempty" jsonschema:"maxLength=1000" jsonschema_description:"A condition, which sees args."`
	Result  json.RawMessage `json:"result,omitempty" jsonschema_description:"This or error."`
	Error   string          `json:"error,omitempty" jsonschema:"maxLength=128" jsonschema_description:"The code of a failure."`
	DelayMs int             `json:"delayMs,omitempty" jsonschema:"minimum=0,maximum=60000" jsonschema_description:"Longer than the tool may take is TIMEOUT; nobody waits for it."`
	Times   int             `json:"times,omitempty" jsonschema:"minimum=0,maximum=1000" jsonschema_description:"How often it answers in the case; 0: always."`
}

// Turn is what the user does, and what is expected of the answer.
type Turn struct {
	User   string          `json:"user,omitempty" jsonschema:"maxLength=20000" jsonschema_description:"What is said; this or action."`
	Action string          `json:"action,omitempty" jsonschema:"maxLength=128" jsonschema_description:"The id of what is chosen."`
	Value  json.RawMessage `json:"value,omitempty" jsonschema_description:"What goes with the action."`
	Expect *Expect         `json:"expect,omitempty" jsonschema_description:"What must be so after it; what is not written is not looked at."`
}

// Expect is what must be so after a turn.
type Expect struct {
	Say        *string                    `json:"say,omitempty" jsonschema_description:"All that is said in the turn, joined by line ends."`
	Contains   []string                   `json:"contains,omitempty" jsonschema:"maxItems=50" jsonschema_description:"Each is in what is said."`
	Action     string                     `json:"action,omitempty" jsonschema:"enum=continue,enum=suspended,enum=escalated,enum=end" jsonschema_description:"How the turn leaves the session."`
	Step       string                     `json:"step,omitempty" jsonschema_description:"Where the flow stands."`
	Agent      string                     `json:"agent,omitempty" jsonschema_description:"Who is at it."`
	ModelCalls *int                       `json:"modelCalls,omitempty" jsonschema:"minimum=0" jsonschema_description:"How often a model is asked."`
	Gathered   map[string]json.RawMessage `json:"gathered,omitempty" jsonschema_description:"Slots of the suite's agent with their values; null: it has none."`
	Session    map[string]json.RawMessage `json:"session,omitempty" jsonschema_description:"Variables with their values; null: there is none."`
	Tools      []string                   `json:"tools,omitempty" jsonschema:"maxItems=50" jsonschema_description:"The tools that are called in the turn, in this order."`
}

// Suite is the suite that a manifest defines.
func (s Spec) Suite(id, name string) testsuites.Suite {
	out := testsuites.Suite{ID: id, Name: name, Agent: s.AgentName, Language: s.Language}
	for _, c := range s.Cases {
		out.Cases = append(out.Cases, c.given())
	}
	return out
}

func (c Case) given() testsuites.Case {
	out := testsuites.Case{Name: c.Name}
	if x := c.Context; x != nil {
		out.Context = testsuites.Context{SkipOnStart: x.SkipOnStart, StartAtStep: x.StartAtStep, GatherValues: x.GatherValues,
			SessionVariables: x.SessionVariables, CallerContext: x.CallerContext}
		for _, m := range x.ToolMocks {
			out.Context.ToolMocks = append(out.Context.ToolMocks, testsuites.Mock(m))
		}
	}
	for _, t := range c.Turns {
		turn := testsuites.Turn{User: t.User, Action: t.Action, Value: t.Value}
		if t.Expect != nil {
			expect := testsuites.Expect(*t.Expect)
			turn.Expect = &expect
		}
		out.Turns = append(out.Turns, turn)
	}
	return out
}
