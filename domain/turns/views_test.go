package turns_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/parley-platform/parley/domain/completions"
	"github.com/parley-platform/parley/domain/sessions"
)

// lobby hands over to the desk by what the model wants, with a CONTEXT.
func lobby(t *testing.T, context string, more ...string) *talk {
	t.Helper()
	return with(t, append([]string{agent("lobby", fmt.Sprintf(`
GOAL: Welcome guests.
MEMORY: {profile: {SCOPE: contact}, bar: {SCOPE: project, ACCESS: read}, own: {SCOPE: session}}
GUARDRAILS: {secret: {ON: handoff, CHECK: '!text.contains("4711")', ACTION: redact, PATTERN: "4711"}}
HANDOFF: [{TO: desk, RETURN: true, CONTEXT: %s}]
`, context)), agent("desk", `
GOAL: Book rooms.
COMPLETE: [{WHEN: has(session.done), SAY: Booked.}]
HANDOFF: [{TO: cellar}]
`), agent("cellar", "GOAL: Carry wine.\n")}, more...)...)
}

// hears lets the user say something where what is in stores does not matter.
func (c *talk) tells(text string) {
	c.t.Helper()
	c.hears(text)
	c.recalls()
}

// seen are the texts that the model is told were said.
func (c *talk) seen() (texts []string) {
	for _, m := range c.question().Messages[1:] {
		if m.Role == completions.User || m.Role == completions.Assistant {
			texts = append(texts, m.Text)
		}
	}
	return texts
}

// Given a handoff, then HISTORY says how many of the texts before the user's last one the other
// agent's model sees, and SUMMARY what it is told beside them.
func TestAHandoffSaysWhatTheOtherSees(t *testing.T) {
	for context, want := range map[string][]string{
		"{}":              {"One", "1", "Two", "2", "A room, 4711", "Gladly."},
		"{HISTORY: all}":  {"One", "1", "Two", "2", "A room, 4711", "Gladly."},
		"{HISTORY: none}": {"A room, 4711", "Gladly."},
		"{HISTORY: 2}":    {"Two", "2", "A room, 4711", "Gladly."},
		"{HISTORY: 50}":   {"One", "1", "Two", "2", "A room, 4711", "Gladly."},
	} {
		c := lobby(t, context)
		for i, text := range []string{"One", "Two"} {
			c.tells(text)
			c.thinks(fmt.Sprint(i + 1))
		}
		c.tells("A room, 4711")
		c.thinks("Gladly.", "hand_off_to_desk {}")
		require.Equal(t, want, c.seen(), context)
		require.NotContains(t, c.question().Messages[0].Text, "What happened before", context)
	}
}

// Given a summary, then it stands in front; a guardrail of handoffs looks at it; who has the
// conversation back sees all that was said, and the one it came from nothing of that later.
func TestASummaryStandsInFront(t *testing.T) {
	c := lobby(t, `{SUMMARY: "The guest said: {{ turn.text }}", HISTORY: none}`)
	c.tells("One")
	c.thinks("1")
	c.tells("Room 4711")
	c.thinks("", "hand_off_to_desk {}")
	require.Contains(t, c.question().Messages[0].Text, "What happened before: The guest said: Room [redacted]")
	require.Contains(t, c.noticed(), "guardrail secret")
	require.Equal(t, []string{"Room 4711"}, c.seen())
	c.thinks("Which?")
	c.tells("A quiet one")
	require.Equal(t, []string{"Room 4711", "Which?", "A quiet one"}, c.seen(), "it goes on seeing what is said")
	c.thinks("", "hand_off_to_cellar {}")
	require.Equal(t, "cellar", c.state.Talk.Agent)
	require.Equal(t, []string{"Room 4711", "Which?", "A quiet one"}, c.seen(), "all of what the other saw")
	require.Contains(t, c.question().Messages[0].Text, "What happened before: The guest said")
}

func TestWhoHasItBackSeesAll(t *testing.T) {
	c := lobby(t, `{SUMMARY: "A room.", HISTORY: none}`)
	c.tells("One")
	c.thinks("1")
	c.tells("A room")
	c.thinks("", "hand_off_to_desk {}")
	c.thinks("", `remember {"session":{"done":true}}`)
	require.Equal(t, "lobby", c.state.Talk.Agent)
	require.Equal(t, []string{"One", "1", "A room", "Booked."}, c.seen())
	require.Empty(t, c.state.Talk.Views)
}

// Given stores in CONTEXT, then the other agent's model uses them as the first agent does, and no
// others.
func TestAHandoffGivesStores(t *testing.T) {
	c := lobby(t, `{MEMORY: [profile, bar]}`)
	c.hears("A room")
	c.recalls(told(profile, 1, `{"name":"Ann"}`), told(sessions.StoreOf{Scope: "session", Store: "own"}, 1, `{"x":1}`))
	c.thinks("", "hand_off_to_desk {}")
	q := c.question()
	require.Contains(t, q.Messages[0].Text, `Remembered in profile: {"name":"Ann"}`)
	require.NotContains(t, q.Messages[0].Text, "own")
	c.thinks("", `remember {"memory":{"profile":{"room":7},"bar":{"x":1},"own":{"x":2}}}`)
	require.JSONEq(t, `{"remembered":["memory.profile.room"],"refused":{"memory.bar":"ACCESS","memory.own":"ACCESS"}}`, c.told()[0])
	c.thinks("Done.")
	require.Equal(t, "profile", c.work().Writes[0].Store)
}

// Given a store that both agents have under one name, then the other goes on with its own.
func TestAnOwnStoreGoesBeforeAGivenOne(t *testing.T) {
	c := with(t, agent("lobby", `
GOAL: Welcome guests.
MEMORY: {profile: {SCOPE: contact}}
HANDOFF: [{TO: desk, CONTEXT: {MEMORY: [profile]}}]
`), agent("desk", "GOAL: Book rooms.\nMEMORY: {profile: {SCOPE: contact, ACCESS: read}}\n"))
	c.hears("A room")
	c.recalls(told(profile, 1, `{"name":"Ann"}`))
	c.thinks("", "hand_off_to_desk {}")
	require.Equal(t, 1, strings.Count(c.question().Messages[0].Text, "Remembered in profile"))
	c.thinks("", `remember {"memory":{"profile":{"room":7}}}`)
	require.Contains(t, fmt.Sprint(c.told()), "UNKNOWN_TOOL", "it may only read it")
}
