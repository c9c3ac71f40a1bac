package sessions_test

import (
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/parley-platform/parley/domain/event"
	"github.com/parley-platform/parley/domain/sessions"
)

// Given a conversation in which everything goes on at once, when events are folded into a copy of its own, then
// the first one stays as it was.
func TestACopyOfAConversationIsItsOwn(t *testing.T) {
	mine := filled
	mine.InTurn, mine.Sensitive = inOne, []string{"to"}
	message := heard
	message.Brought = &sessions.Brought{Mocks: []sessions.Mock{{Tool: "find"}}}
	past := []event.Payload{chat, message, entered, filled, set, recalled, putInto, handed, wished, passedOn, claimed, askedMind, thought,
		wishOpened, lookedFor, given, begun, inside, mine}
	takes := over
	takes.CallID = recalled.CallID
	asks := over
	asks.CallID = lookedFor.CallID
	gone, step := filled, entered
	gone.Values, gone.Sensitive = map[string]json.RawMessage{"kind": nil, "pin": json.RawMessage(`"0"`)}, []string{"kind"}
	step.InTurn = inOne
	unset := sessions.VariablesSet{InTurn: turn1, Values: map[string]json.RawMessage{"vip": nil}}
	for name, e := range map[string]event.Payload{"values": gone, "variables": unset, "a visit": entered, "who makes a call": over,
		"who keeps a store": takes, "who asks a model": asks, "a call's end": made, "a mock": answered, "a result": told,
		"a delegate's step": step, "a delegate's end": worked, "a store": putInto, "what it was told": memorized, "a handoff back": back,
		"an escalation's end": sessions.Noticed{InTurn: turn1, Kind: sessions.EscalationOver, What: "front/1"}} {
		t.Run(name, func(t *testing.T) {
			s := sessions.Sessions.State(past...)
			copied := s
			copied.Talk = s.Talk.Own()
			require.Equal(t, s, copied)
			sessions.Sessions.Fold(&copied, e)
			require.NotEqual(t, s, copied)
			require.Equal(t, sessions.Sessions.State(past...), s)
		})
	}
}
