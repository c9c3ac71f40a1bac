package project_test

import (
	"errors"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/parley-platform/parley/domain/dsl/project"
)

// Given sources, when agents are reached from some of them, then each is asked for once, and
// what is missing is told where it is named.
func TestWhatCanBeReached(t *testing.T) {
	toB, byB := "HANDOFF:\n  - TO: b\n", "DELEGATE:\n  - AGENT: b\n"
	for name, c := range map[string]struct {
		first           []string
		more            map[string]string // what an agent has more
		asked, programs []string
		errors, missing []string
	}{
		"nothing":              {},
		"itself":               {first: []string{"a"}, more: map[string]string{"a": "", "b": ""}, asked: []string{"a"}, programs: []string{"a"}},
		"a first that is away": {first: []string{"x"}, asked: []string{"x"}},
		"in a circle, each once": {first: []string{"a"}, more: map[string]string{"a": toB, "b": "HANDOFF:\n  - TO: a\n  - {TO: c, INTENT: x}\n",
			"c": byB}, asked: []string{"a", "b", "c"}, programs: []string{"a", "b", "c"}},
		"one that is missing, once for who names it": {first: []string{"a"},
			more: map[string]string{"a": toB + byB + "TOOLS:\n  t: {USE: none}\n"}, asked: []string{"a", "b"}, programs: []string{"a"},
			missing: []string{"a 4:5 HANDOFF.TO unknown_agent the project has no agent b"}},
		"of two that name it": {first: []string{"a", "c"}, more: map[string]string{"a": toB, "c": byB},
			asked: []string{"a", "c", "b"}, programs: []string{"a", "c"},
			missing: []string{"a 4:5 HANDOFF.TO unknown_agent the project has no agent b",
				"c 4:5 DELEGATE.AGENT unknown_agent the project has no agent b"}},
		"a first that is away and named": {first: []string{"a", "b"}, more: map[string]string{"a": toB},
			asked: []string{"a", "b"}, programs: []string{"a"}},
		"one that does not compile, no further": {first: []string{"a", "c"},
			more: map[string]string{"a": toB + "NONSENSE: 1\n", "b": "", "c": ""}, asked: []string{"a", "c"}, programs: []string{"c"},
			errors: []string{"a 5:1 NONSENSE unknown_key *"}},
	} {
		t.Run(name, func(t *testing.T) {
			var asked, programs []string
			got, err := project.Reach(c.first, func(agent string) (string, bool, error) {
				asked = append(asked, agent)
				more, ok := c.more[agent]
				return source(agent, more), ok, nil
			})
			require.NoError(t, err)
			for _, p := range got.Programs {
				programs = append(programs, p.Agent)
			}
			require.Equal(t, c.asked, asked)
			require.Equal(t, c.programs, programs)
			shown(t, c.errors, got.Errors)
			var missing []project.Problem
			for _, m := range got.Missing {
				require.Equal(t, "b", m.To)
				missing = append(missing, m.Problem)
			}
			shown(t, c.missing, missing)
		})
	}
	away := errors.New("away")
	_, err := project.Reach([]string{"a"}, func(string) (string, bool, error) { return "", false, away })
	require.ErrorIs(t, err, away)
}
