package dsl_test

import (
	"encoding/json"
	"os"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/parley-platform/parley/domain/dsl"
)

// Given an agent that says everything there is to say, then its program is what every_member.json has: each
// member of the language with its place, what was written, and what holds where nothing was.
func TestWhatIsMadeOfEveryMember(t *testing.T) {
	p := compiled(t, "Every_Member", example(t, "every_member"))
	require.Len(t, p.Warnings, 1, "each step is reached")

	var made any
	require.NoError(t, json.Unmarshal([]byte(shown(t, p)), &made))
	text, err := json.Marshal(said(made))
	require.NoError(t, err)
	want, err := os.ReadFile("testdata/every_member.json")
	require.NoError(t, err)
	require.JSONEq(t, string(want), string(text), "if it is meant to be another: %s", text)
}

// said is a value without what is empty in it, so that the file is read in one go.
func said(v any) any {
	switch v := v.(type) {
	case map[string]any:
		for name, x := range v {
			if v[name] = said(x); v[name] == nil || v[name] == "" || v[name] == 0.0 || v[name] == false {
				delete(v, name)
			}
		}
	case []any:
		for i, x := range v {
			v[i] = said(x)
		}
	}
	return v
}

// A deployment asks for all that an agent names outside of itself, wherever it does.
func TestEverythingThatIsNamedOutsideOfAnAgent(t *testing.T) {
	require.Equal(t, dsl.References{
		Agents:    []string{"Billing", "Flights", "Hotels", "Later_Agent", "Visa"},
		Tools:     []string{"t-1"},
		Workflows: []string{"wf-1"},
		Servers:   []string{"weather"},
		Secrets:   []dsl.Secret{{Tool: "fetch", Name: "KEY"}, {Tool: "later", Name: "SIGNING"}},
		Queues: []string{"q_action", "q_branch", "q_calm", "q_constraint", "q_guard", "q_handoff", "q_night", "q_people", "q_step",
			"q_timeout"},
	}, compiled(t, "", example(t, "every_member")).References())
	require.Equal(t, dsl.References{Queues: []string{"a", "b"}}, compiled(t, "A", withHead("ESCALATE: [{QUEUE: a, ON_FAIL: {ESCALATE: b}}]")).
		References(), "without a flow")
	require.Equal(t, dsl.References{Queues: []string{"a", "b", "c"}}, compiled(t, "A", withHead("FLOW: {START: s, STEPS: {s: {CHECK: 'true', "+
		"ON_FAIL: {ESCALATE: c}, ON_EXHAUSTED: {ESCALATE: a}, ON_ERROR: {ESCALATE: b}}}}")).References(), "where a step failed")
}

// Of texts in several languages each is shown; of a choice, whether it has an option.
func TestWhatAProgramTellsOfItself(t *testing.T) {
	p := compiled(t, "", example(t, "every_member"))
	goal, err := json.Marshal(p.Goal)
	require.NoError(t, err)
	require.JSONEq(t, `{"en": "Sell", "de": "Verkaufe {{ turn.text }}"}`, string(goal))
	require.Equal(t, "Sell", p.Goal.String())

	which := p.OnStart.Rich[1]
	require.True(t, which.Has("two"))
	require.False(t, which.Has("three"))
	require.Equal(t, "yes", p.Flow.Step("first").Follows("yes").ID)
	require.Nil(t, p.Flow.Step("first").Follows("no"))
	require.Nil(t, p.Flow.Step("nowhere"))
	require.Nil(t, (*dsl.Flow)(nil).Step("first"))

	require.True(t, p.Led())
	require.True(t, p.Extracts())
	require.True(t, p.Constrains(dsl.BeforeReply))
	require.False(t, p.Constrains("call:fetch"))
	require.True(t, p.Guards("output"))
	require.False(t, p.Guards("handoff"))
}

// What follows where a step failed is what ON_ERROR leads to: to try again is not to lead anywhere.
func TestWhatFollowsWhereAStepFailed(t *testing.T) {
	for name, one := range map[string]struct {
		then string
		want bool
	}{
		"try again":       {"RETRY: 1", false},
		"say":             {"SAY: Sorry", true},
		"set":             {"SET: {session.a: '1'}", true},
		"ask":             {"ASK: [s]", true},
		"another step":    {"GOTO: a", true},
		"another agent":   {"HANDOFF: B", true},
		"people":          {"ESCALATE: q", true},
		"the end":         {"END: true", true},
		"go on":           {"CONTINUE: true", true},
		"stop":            {"STOP: true", true},
		"nothing is said": {"", false},
	} {
		onError := ""
		if one.then != "" {
			onError = ", ON_ERROR: {" + one.then + "}"
		}
		p := compiled(t, "A", withHead("GATHER: {s: {TYPE: string}}\nHANDOFF: [{TO: B}]\nTOOLS: {t: {USE: x}}\n"+
			"FLOW: {START: a, STEPS: {a: {CALL: t"+onError+"}}}"))
		require.Equal(t, one.want, p.Flow.Step("a").Otherwise() != nil, name)
	}
}

// A constraint that cannot be computed is broken, unless it only warns; one that does not apply is not.
func TestWhenAConstraintIsBroken(t *testing.T) {
	yes, no := dsl.Scope{"session": map[string]any{"x": true}}, dsl.Scope{"session": map[string]any{"x": false}}
	for members, c := range map[string]struct{ yes, no, unknown bool }{
		"REQUIRE: session.x":                {false, true, true},
		"FORBID: session.x":                 {true, false, true},
		"WARN: session.x":                   {true, false, false},
		"FORBID: 'true', WHEN: session.x":   {true, false, true},
		"REQUIRE: 'false', WHEN: session.x": {true, false, true},
		"WARN: 'true', WHEN: session.x":     {true, false, false},
	} {
		x := compiled(t, "A", withHead("CONSTRAINTS: [{"+members+"}]")).Constraints[0]
		for _, of := range []struct {
			scope dsl.Scope
			want  bool
		}{{yes, c.yes}, {no, c.no}, {nil, c.unknown}} {
			broken, err := x.Broken(of.scope)
			require.Equal(t, of.want, broken, "%s of %v", members, of.scope)
			require.Equal(t, of.scope == nil, err != nil, "for the trace")
		}
	}
}
