// Package flows owns the experience flows of a project: which number a call shows as
// its caller, and which AI agent takes the call (docs/api-rules.md "Dial-out").
//
// It never looks at calls, and does not know whether the agent that a flow names
// exists: a flow may be defined before its agent.
package flows

import (
	"regexp"
	"strings"

	"github.com/parley-platform/parley/domain/access"
	"github.com/parley-platform/parley/domain/event"
)

// Flows holds one stream per project (see Stream). Its rules:
//
//   - a flow's name and its number are each unique in the project
//   - +15550100 and 15550100 are one number
var Flows = event.NewAggregate[State]("flows", "flows", event.Quiet)

// Stream names the stream of a project's flows. The separator is a character that
// no id can hold, so that two pairs of ids never share a stream.
func Stream(tenantID, projectID string) string { return Flows.Stream(tenantID + "." + projectID) }

// IDPrefix begins the id of every flow, experienceFlow of campaigns.
const IDPrefix = "cf-"

// State is the state of one project's stream.
type State struct {
	Flows map[string]Flow // by id
}

// Flow is one experience flow.
type Flow struct {
	ID        string // cf-...
	Name      string
	Number    string // user part of the caller ID, as defined
	AgentName string // the AI agent that takes its calls; empty: none
	Language  string // language tag; empty: the project's
	Recording bool   // its calls are recorded, both sides
}

// ByNumber finds the flow that our number in a dial-out means.
func (s State) ByNumber(number string) (Flow, bool) {
	return s.find(func(f Flow) bool { return NormalNumber(f.Number) == NormalNumber(number) })
}

// ByName finds the flow with a name, experienceFlowName of campaigns.
func (s State) ByName(name string) (Flow, bool) {
	return s.find(func(f Flow) bool { return access.SameName(f.Name, name) })
}

func (s State) find(match func(Flow) bool) (Flow, bool) {
	for _, f := range s.Flows { // at most one can match
		if match(f) {
			return f, true
		}
	}
	return Flow{}, false
}

var phoneNumber = regexp.MustCompile(`^\+?[0-9]+$`)

// NormalNumber is the form in which numbers are compared: a telephone number loses
// its leading +, any other user part stays as it is. Read models that look flows up
// by number store this form.
func NormalNumber(number string) string {
	if phoneNumber.MatchString(number) {
		return strings.TrimPrefix(number, "+")
	}
	return number
}
