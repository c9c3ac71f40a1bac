package testsuites

import (
	"encoding/json"
	"maps"
	"reflect"
	"slices"
	"strconv"
	"strings"

	"github.com/parley-platform/parley/domain/event"
	"github.com/parley-platform/parley/domain/sessions"
)

// Difference is something that is not as it was expected.
type Difference struct {
	What     string `json:"what"` // the member of the expectation: say, gathered.kind; turn: that there is an answer at all
	Expected string `json:"expected"`
	Got      string `json:"got"`
}

const (
	longestTold     = 500 // characters of what is shown of a text
	mostDifferences = 20  // of one step
	masked          = "***"
)

func (e Expect) empty() bool { return reflect.DeepEqual(e, Expect{}) }

// judge compares a turn with what was expected of it. Whatever that is, the turn has to have
// come to its end.
func (p *play) judge(e *Expect, events []event.Payload) []Difference {
	j := judgement{state: p.state}
	for _, of := range events {
		switch of := of.(type) {
		case sessions.Said:
			j.said = append(j.said, of.Text)
		case sessions.CallOpened:
			if of.Retry == 0 {
				j.called = append(j.called, of.Tool)
			}
		case sessions.TurnEnded:
			j.ended = of
		case sessions.PassedOn: // it is for people, and no turn
			j.ended.Action = sessions.ToPeople
		}
	}
	if j.ended.Failed != "" {
		j.differs("turn", "that it comes to its end", j.ended.Failed)
	}
	if e != nil {
		j.compare(*e, p.Agent)
	}
	return j.out[:min(len(j.out), mostDifferences)]
}

type judgement struct {
	state  sessions.State
	said   []string
	called []string
	ended  sessions.TurnEnded
	out    []Difference
}

func (j *judgement) compare(e Expect, agent string) {
	said, talk := strings.Join(j.said, "\n"), j.state.Talk
	if e.Say != nil && *e.Say != said {
		j.differs("say", *e.Say, said)
	}
	for _, part := range e.Contains {
		if !strings.Contains(said, part) {
			j.differs("contains", part, said)
		}
	}
	j.text("action", e.Action, string(j.ended.Action))
	j.text("step", e.Step, talk.Step)
	j.text("agent", e.Agent, talk.Agent)
	if e.ModelCalls != nil && *e.ModelCalls != 0 { // agents that call models are not played
		j.differs("modelCalls", strconv.Itoa(*e.ModelCalls), "0")
	}
	j.values("gathered.", e.Gathered, talk.Slots[agent], talk.Sensitive[agent])
	j.values("session.", e.Session, talk.Vars, nil)
	if len(e.Tools) > 0 && !slices.Equal(e.Tools, j.called) {
		j.differs("tools", strings.Join(e.Tools, ", "), strings.Join(j.called, ", "))
	}
}

func (j *judgement) text(what, expected, got string) {
	if expected != "" && expected != got {
		j.differs(what, expected, got)
	}
}

func (j *judgement) values(of string, expected, got map[string]json.RawMessage, sensitive []string) {
	for _, name := range slices.Sorted(maps.Keys(expected)) {
		want, is := expected[name], got[name]
		switch {
		case equal(want, is):
		case slices.Contains(sensitive, name):
			j.differs(of+name, masked, "another value, or none")
		default:
			j.differs(of+name, string(want), string(is))
		}
	}
}

// equal compares values of JSON, whose numbers may be written in several ways. null is no
// value.
func equal(a, b json.RawMessage) bool {
	var x, y any
	if len(a) > 0 && json.Unmarshal(a, &x) != nil || len(b) > 0 && json.Unmarshal(b, &y) != nil {
		return false
	}
	return reflect.DeepEqual(x, y)
}

func (j *judgement) differs(what, expected, got string) {
	j.out = append(j.out, Difference{what, cut(expected), cut(got)})
}

func cut(text string) string {
	if runes := []rune(text); len(runes) > longestTold {
		return string(runes[:longestTold]) + "…"
	}
	return text
}
