package turns_test

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/parley-platform/parley/domain/memories"
	"github.com/parley-platform/parley/domain/sessions"
	"github.com/parley-platform/parley/domain/turns"
)

const barber = `
MEMORY:
  profile: {SCOPE: contact, TTL: 30d}
  shop: {SCOPE: project, ACCESS: read, SCHEMA: {type: object, properties: {chairs: {type: integer}}}}
  visit: {SCOPE: session, SCHEMA: {type: object, properties: {n: {type: integer}, cut: {type: string}}, required: [cut]}}
GATHER: {name: {TYPE: string, PROMPT: "Your name?"}}
ON_START: {SAY: "Hello {{ has(memory.profile.name) ? memory.profile.name : 'you' }}."}
FLOW:
  START: a
  STEPS:
    a:
      WHEN: '!has(memory.profile.name)'
      GATHER: [name]
      SET: {memory.profile.name: gather.name, memory.visit.cut: '"short"', memory.visit.n: memory.shop.chairs + 1}
      NEXT: b
    b: {SAY: "{{ memory.profile.name }}, chair {{ memory.visit.n }}."}
`

var (
	profile = sessions.StoreOf{Scope: memories.OfContact, Store: "profile"}
	house   = sessions.StoreOf{Scope: memories.OfProject, Store: "shop"}
	visit   = sessions.StoreOf{Scope: memories.OfSession, Store: "visit"}
)

func told(of sessions.StoreOf, version int, content string) sessions.StoreTold {
	return sessions.StoreTold{StoreOf: of, Version: version, Content: json.RawMessage(content)}
}

// work is what is to be done with stores.
func (c *talk) work() *turns.MemoryWork { return turns.MemoryOf(c.state, c.programs, mine.Try) }

// recalls tells the turn what came of stores, and gives what followed.
func (c *talk) recalls(stores ...sessions.StoreTold) string {
	c.t.Helper()
	w := c.work()
	require.NotNil(c.t, w)
	return words(c.decides(turns.Recalled{CallID: w.CallID, Stores: stores, Programs: c.programs, At: noon, Try: mine}.Decide))
}

// Given an agent with stores, when the user says something, then the turn waits for what is in
// them; what it sets is kept before it ends.
func TestATurnReadsStoresAndKeepsWhatItSets(t *testing.T) {
	c := with(t, agent("barber", barber))
	require.Empty(t, c.hears("Hi"), "nothing is said before it is known what is remembered")
	require.Equal(t, []sessions.StoreOf{profile, house, visit}, c.work().Reads)
	require.Equal(t, "Hello you. | Your name? | .", c.recalls(told(profile, 0, ""), told(house, 3, `{"chairs":2}`), told(visit, 0, "")))

	c.hears("Ann")
	require.Equal(t, "Ann, chair 3.", c.recalls(told(house, 3, `{"chairs":2}`)))
	require.NotNil(t, c.state.Talk.Running, "it does not end before that is kept")
	w := c.work()
	require.Equal(t, []string{"profile", "visit"}, []string{w.Writes[0].Store, w.Writes[1].Store})
	require.Equal(t, []memories.Member{{Path: "name", Value: json.RawMessage(`"Ann"`)}}, w.Writes[0].Members)
	require.Equal(t, 30*24.0, w.Writes[0].TTL.Hours())
	require.Equal(t, ".", c.recalls(told(profile, 1, `{"name":"Ann"}`), told(visit, 1, `{"cut":"short","n":3}`)))
	require.Equal(t, 1, c.state.Talk.Memorized(profile).Version)
	require.Empty(t, c.state.Talk.Unkept())

	c.hears("Again")
	require.Equal(t, "Bea, chair 3. | .", c.recalls(told(profile, 2, `{"name":"Bea"}`), told(house, 3, `{"chairs":2}`)),
		"it is read in each turn")
}

// What the session knows of a store already does not stand on its log once more.
func TestWhatIsKnownIsNotToldAgain(t *testing.T) {
	c := with(t, agent("barber", barber))
	c.hears("Hi")
	c.recalls(told(profile, 1, `{"name":"Ann"}`), told(house, 1, `{"chairs":2}`), told(visit, 0, ""))
	c.hears("Hi")
	c.recalls(told(profile, 1, `{"name":"Ann"}`), told(house, 2, `{"chairs":2}`), told(visit, 0, ""))
	for _, p := range c.past {
		if e, is := p.(sessions.MemoryTold); is && e.Turn == 2 {
			require.Equal(t, []sessions.StoreTold{{StoreOf: house, Version: 2, Known: true}}, e.Stores)
		}
	}
	require.JSONEq(t, `{"chairs":2}`, string(c.state.Talk.Memorized(house).Content))
}

// Given agents of which one has stores, then a turn reads them that may come to that agent, and no other does.
func TestATurnReadsTheStoresThatItMayComeTo(t *testing.T) {
	says := "FLOW: {START: a, STEPS: {a: {SAY: Good day.}}}\n"
	c := with(t, agent("front", "HANDOFF: [{TO: barber, WHEN: 'turn.text == \"cut\"'}, {TO: clerk, WHEN: 'turn.text == \"bill\"'}]\n"+says),
		agent("barber", barber), agent("clerk", says))
	c.hears("Hi")
	require.Equal(t, []sessions.StoreOf{profile, house, visit}, c.work().Reads)
	c.recalls()
	c.hears("bill")
	require.Equal(t, "Good day. | .", c.recalls())
	require.Equal(t, "Good day. | .", c.hears("More"), "the clerk leads to nobody who has one")
}

// Given stores that cannot be read or written, then the turn goes on, and the trace says why.
func TestStoresThatAreNotThere(t *testing.T) {
	c := with(t, agent("barber", barber))
	c.hears("Hi")
	require.Equal(t, "Hello you. | Your name? | .", c.recalls(sessions.StoreTold{StoreOf: profile, Failed: sessions.CodeNoContact},
		told(house, 1, `{"chairs":2}`)))
	require.Equal(t, []string{"memory profile"}, c.noticed())
	c.hears("Ann")
	c.recalls(sessions.StoreTold{StoreOf: profile, Failed: sessions.CodeNoContact}, told(house, 1, `{"chairs":2}`))
	require.Equal(t, []sessions.StoreOf{visit}, c.state.Talk.Running.Memory.Writes, "nobody knows whose profile it would be")
	require.Equal(t, ".", c.recalls(sessions.StoreTold{StoreOf: visit, Failed: "LIMIT"}))
	require.Empty(t, c.state.Talk.Memorized(visit).Content, "what is not kept is not known")

	c = with(t, agent("barber", barber))
	c.hears("Hi")
	c.recalls(told(house, 1, `{"x":"`+strings.Repeat("x", sessions.MostMemory)+`"}`))
	require.Contains(t, c.noticed(), "memory shop")
	require.Empty(t, c.state.Talk.Memorized(house).Content)
}

// Given a member that somebody else wrote since it was read, then it stays as that one wrote it.
func TestWhatSomebodyElseWroteIsNotUndone(t *testing.T) {
	c := with(t, agent("barber", barber))
	c.hears("Hi")
	c.recalls(told(house, 1, `{"chairs":2}`))
	c.hears("Ann")
	c.recalls()
	other := told(profile, 5, `{"name":"Bea"}`)
	other.Refused = []string{"name"}
	require.Equal(t, ".", c.recalls(other, told(visit, 1, `{"cut":"short","n":3}`)))
	require.Equal(t, []string{"memory profile"}, c.noticed())
	require.JSONEq(t, `{"name":"Bea"}`, string(c.state.Talk.Memorized(profile).Content))
}

// SCHEMA and ACCESS hold for what turns set.
func TestWhatDoesNotFitAStoreIsNotSet(t *testing.T) {
	c := with(t, agent("shop", `
MEMORY: {visit: {SCOPE: session, SCHEMA: {type: object, properties: {n: {type: integer}, s: {type: string}}, required: [n]}}}
FLOW:
  START: a
  STEPS:
    a: {SET: {memory.visit.s: '"x"'}, NEXT: b}
    b: {SET: {memory.visit.n: "1", memory.visit.s: "string(memory.visit.n + 1)"}, NEXT: c}
    c: {SAY: "{{ memory.visit.s }}"}
`))
	c.hears("Hi")
	require.Equal(t, "2", c.recalls(), "what a SET has put there is seen by the rest of it")
	require.Equal(t, []string{"memory visit"}, c.noticed(), "n is required")
}

// Given a try that is no more, then another reads and keeps in its place.
func TestAnotherReadsAndKeepsInPlaceOfATryThatIsGone(t *testing.T) {
	c := with(t, agent("barber", barber))
	over := turns.TakeOver{From: other.Try, Programs: c.programs, At: noon, Try: mine}
	_, err := c.turn(turns.Receive{Text: "Hi", Try: other})
	require.NoError(t, err)
	c.decides(over.Decide)
	require.Equal(t, mine, c.state.Talk.Running.Memory.Claimed)
	require.Equal(t, []sessions.Claimed{mine}, c.state.Talk.Running.Claims())
	require.Equal(t, "Hello you. | Your name? | .", c.recalls(told(house, 1, `{"chairs":2}`)))
	require.Empty(t, c.decides(turns.Recalled{CallID: "c", Programs: c.programs, At: noon, Try: mine}.Decide), "nobody waits for that")
}

// Given a model that leads, then it is told what is remembered, and may have something kept.
func TestAModelRemembersInStores(t *testing.T) {
	c := with(t, agent("barber", `
GOAL: Cut hair.
MEMORY: {profile: {SCOPE: contact}, shop: {SCOPE: project, ACCESS: read}, notes: {SCOPE: session, ACCESS: write}}
`))
	c.hears("Hi")
	c.recalls(told(profile, 1, `{"name":"Ann"}`), told(house, 1, `{"chairs":2}`),
		told(sessions.StoreOf{Scope: "session", Store: "notes"}, 1, `{"x":1}`))
	q := c.question()
	require.Contains(t, q.Messages[0].Text, `Remembered in profile: {"name":"Ann"}`)
	require.NotContains(t, q.Messages[0].Text, "notes", "it may write there only")
	require.JSONEq(t, `{"type":"object","properties":{"memory":{"type":"object","properties":{"profile":{"type":"object","properties":{}},
		"notes":{"type":"object","properties":{}}}}}}`, string(q.Tools[0].Parameters))
	c.thinks("", `remember {"memory":{"profile":{"cut":"short"},"shop":{"chairs":3},"notes":{"bad name":1}}}`)
	require.JSONEq(t, `{"remembered":["memory.profile.cut"],"refused":{"memory.shop":"ACCESS",
		"memory.notes":"has a name that no member can have"}}`, c.told()[0])
	require.Equal(t, "Done.", c.thinks("Done."))
	require.Equal(t, ".", c.recalls(told(profile, 2, `{"name":"Ann","cut":"short"}`)))
}

// Given code that sees a store, then what was set is kept before it is called, and what it left
// there is known when it has ended.
func TestCodeSeesWhatWasSet(t *testing.T) {
	c := with(t, agent("calc", `
MEMORY: {sums: {SCOPE: session}}
TOOLS: {add: {KIND: code, LANG: js, SOURCE: "return 1", STORES: [sums], PARAMS: {type: object}}}
FLOW:
  START: a
  STEPS:
    a: {SET: {memory.sums.n: "1"}, NEXT: b}
    b: {CALL: add, NEXT: c}
    c: {SAY: "{{ memory.sums.n }}"}
`))
	sums := sessions.StoreOf{Scope: memories.OfSession, Store: "sums"}
	c.hears("Hi")
	c.recalls()
	require.Len(t, c.state.Talk.Running.Open, 1)
	require.Empty(t, c.wants(mine.Try), "not before that is kept")
	require.Empty(t, c.recalls(told(sums, 1, `{"n":1}`)))
	require.Len(t, c.wants(mine.Try), 1)
	require.Equal(t, "sums", c.wants(mine.Try)[0].Sees[0].Name)
	o := turns.Outcome{CallID: c.state.Talk.Running.Open[0].CallID, Ended: ok("null"),
		Memory: []sessions.StoreTold{told(sums, 2, `{"n":7}`)}, Programs: c.programs, At: noon, Try: mine}
	require.Equal(t, "ok  | 7 | .", words(c.decides(o.Decide)))
}

// In a test that nobody makes calls for there is in stores what was set in it.
func TestATestHasItsOwnMemory(t *testing.T) {
	c := with(t, agent("counter", `
MEMORY: {n: {SCOPE: contact}}
FLOW: {START: a, STEPS: {a: {SET: {memory.n.x: "(has(memory.n.x) ? memory.n.x : 0.0) + 1.0"}, NEXT: b},
  b: {SAY: "{{ memory.n.x }}", NEXT: c}, c: {GATHER: [go], NEXT: a}}}
GATHER: {go: {TYPE: string, PROMPT: "Go?"}}
`))
	require.Equal(t, "1 | Go?", c.says("x"))
	require.Equal(t, sessions.ForSlot, c.state.Talk.Waits.For)
	require.JSONEq(t, `{"x":1}`, string(c.state.Talk.Memory[0].Content))
}

// Given a delegate whose RETURNS names a store, then what it found is kept there.
func TestAResultIsKeptInAStore(t *testing.T) {
	c := with(t, agent("barber", `
MEMORY: {visit: {SCOPE: session}}
DELEGATE: [{AGENT: clerk, RETURNS: {text: memory.visit.note}}]
FLOW: {START: a, STEPS: {a: {DELEGATE: clerk, NEXT: b}, b: {SAY: "{{ memory.visit.note }}!"}}}
`), agent("clerk", "FLOW: {START: a, STEPS: {a: {SAY: Short., END: true}}}\n"))
	c.hears("Hi")
	require.Equal(t, "Short.!", c.recalls(told(visit, 0, "")))
	require.JSONEq(t, `"Short."`, string(c.work().Writes[0].Members[0].Value))
}
