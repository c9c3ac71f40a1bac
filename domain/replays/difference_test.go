package replays_test

import (
	"encoding/json"
	"fmt"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/parley-platform/parley/domain/event"
	"github.com/parley-platform/parley/domain/replays"
	"github.com/parley-platform/parley/domain/sessions"
	"github.com/parley-platform/parley/domain/turns"
)

const form = `DSL: 1
AGENT: form
GATHER: {name: {TYPE: string, PROMPT: "Who?"}, pin: {TYPE: pattern, PATTERN: "^[0-9]{4}$", PROMPT: "PIN?", SENSITIVE: true}}
FLOW: {START: a, STEPS: {a: {GATHER: [name, pin], NEXT: b}, b: {SAY: Yes.}}}
`

// Given a record that is not what is decided, then the first event that parts them is told, with where it is and what
// was decided on; what a slot keeps secret is not.
func TestWhatADifferenceTells(t *testing.T) {
	r := record(t, "", "form", form)
	r.says("hi")
	r.says("Ann", func(in *turns.Receive) {
		in.Slots = map[string]json.RawMessage{"name": json.RawMessage(`"Bob"`), "pin": json.RawMessage(`"1234"`)}
	})
	shown := func(p event.Payload) *replays.Event {
		kind, err := sessions.Sessions.KindOf(p)
		require.NoError(t, err)
		data, err := json.Marshal(p)
		require.NoError(t, err)
		return &replays.Event{Name: kind.Name, Data: data}
	}
	last, end := r.commits[2], len(r.commits[2])-1
	n := slices.IndexFunc(last, func(p event.Payload) bool { _, is := p.(sessions.SlotsFilled); return is })
	filled := func(name, pin string) sessions.SlotsFilled {
		e := last[n].(sessions.SlotsFilled)
		e.Values = map[string]json.RawMessage{"name": json.RawMessage(name), "pin": json.RawMessage(pin)}
		return e
	}
	never := sessions.Said{Text: "never"}
	other := slices.Clone(last)
	other[n] = filled(`"Eve"`, `"1234"`)
	for label, c := range map[string]struct {
		commit   replays.Commit
		programs turns.Programs
		want     replays.Difference
	}{
		"less was recorded": {last[:end], r.programs, replays.Difference{Got: shown(last[end])}},
		"more was recorded": {append(slices.Clone(last), never), r.programs, replays.Difference{Expected: shown(never)}},
		"something else was": {other, r.programs,
			replays.Difference{Expected: shown(filled(`"Eve"`, `"***"`)), Got: shown(filled(`"Bob"`, `"***"`))}},
		"nothing is decided": {last, turns.Programs{}, replays.Difference{Expected: shown(last[0]),
			Refused: `INTERNAL_ERROR: the session's agent "form" was not given to the turn`}},
	} {
		t.Run(label, func(t *testing.T) {
			commits := []replays.Commit{r.commits[0], c.commit}
			c.want.Turn, c.want.Agent, c.want.Input = 1, "form", `the message "Ann"`
			if len(c.programs) > 0 {
				commits = []replays.Commit{r.commits[0], r.commits[1], c.commit}
				c.want.Turn, c.want.Step = 2, "a"
			} else {
				c.want.Turn = 2
			}
			require.Equal(t, &c.want, replays.Replay(commits, c.programs, false).Difference)
		})
	}
}

// inputs are what the commits of a session came of, each behind its turn, as a difference tells it: one is made in each
// of them.
func inputs(t *testing.T, r *recording) (out []string) {
	t.Helper()
	for i, c := range r.commits {
		changed := slices.Clone(r.commits[:i+1])
		changed[i] = slices.Insert(slices.Clone(c), max(1, len(c)-1), event.Payload(sessions.Said{Text: "never"}))
		if d := replays.Replay(changed, r.programs, false).Difference; d != nil {
			out = append(out, fmt.Sprintf("%d %s", d.Turn, d.Input))
		}
	}
	return out
}

// A difference says in words what was decided on.
func TestWhatWasDecidedOnIsSaidInWords(t *testing.T) {
	require.Equal(t, []string{
		`1 the message "hello"`,
		`2 the message "[redacted]"`,
		`3 the message "Ann [redacted]"`,
		`4 the message "1234"`,
		`4 the outcome error TIMEOUT of the tool find`,
		`4 that another goes on with a call`,
		`4 the outcome ok of the tool find`,
		`4 that a call was made whose answer comes later`,
		`4 the outcome ok of the tool pay`,
		`4 the answer of the model`,
		`5 the message "bye"`,
		`5 the answer of the model`,
		`5 a cancel`,
		`6 the message "again"`,
	}, inputs(t, whole(t)))
	require.Equal(t, []string{
		`1 the message "hi"`,
		`1 that another goes on with a call`,
		`1 what came of stores of memory`,
		`2 the message "Ann"`,
		`2 what came of stores of memory`,
		`2 what came of stores of memory`,
		`2 the outcome of the tool add, and what it left in stores`,
		`3 the message "perhaps"`,
		`3 what came of stores of memory`,
		`4 the message "yes"`,
		`4 what came of stores of memory`,
		`4 the outcome error HTTP_500 of the tool pay`,
		`4 the message "hello?", for people`,
		`4 that people take the session`,
		`4 the message "my card is [redacted]", for people`,
		`4 what a person said`,
		`5 that people give the session back`,
		`5 what came of stores of memory`,
		`5 that the server cannot go on`,
		`5 that people take the session`,
		`5 that people give the session back`,
	}, inputs(t, peopled(t)))
}
