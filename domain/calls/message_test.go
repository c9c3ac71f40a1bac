package calls_test

import (
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/parley-platform/parley/domain/calls"
	"github.com/parley-platform/parley/domain/event"
	"github.com/parley-platform/parley/domain/event/eventtest"
	"github.com/parley-platform/parley/domain/fault"
)

// Given a call in which people talk, when a message is wanted, then one is kept for each time, also behind the end.
func TestAMessageIsLeft(t *testing.T) {
	talk := connected(t)
	ask := func(id string) calls.TakeMessage {
		return calls.TakeMessage{VoicemailID: id, TransferID: "t-1", At: after(9_000)}
	}
	wanted := func(id string) calls.MessageWanted {
		return calls.MessageWanted{VoicemailID: id, TransferID: "t-1", At: after(9_000)}
	}
	keep := calls.KeepMessage{VoicemailID: "v-1", Blob: "b", SHA256: "abc", SizeBytes: 16_044, Ms: 1_000, By: calls.EndedByKey,
		At: after(9_900)}
	left := calls.MessageLeft{VoicemailID: "v-1", TransferID: "t-1", Blob: "b", SHA256: "abc", SizeBytes: 16_044, Ms: 1_000,
		By: calls.EndedByKey, At: after(9_900)}
	miss := calls.MissMessage{VoicemailID: "v-1", Reason: "nothing was said", At: after(9_900)}
	missed := calls.MessageMissed{VoicemailID: "v-1", TransferID: "t-1", Reason: "nothing was said", At: after(9_900)}
	over := calls.Completed{At: after(9_500)}
	meanwhile := calls.MessageMissed{VoicemailID: "v-2", TransferID: "t-1", Reason: "another one is being left", At: after(9_000)}
	given := func(more ...event.Payload) []event.Payload { return append(slices.Clip(talk), more...) }
	for name, c := range map[string]scenario{
		"asked":               {talk, ask("v-1"), []event.Payload{wanted("v-1")}},
		"asked again":         {given(wanted("v-1"), left), ask("v-1"), nil},
		"another":             {given(wanted("v-1"), left), ask("v-2"), []event.Payload{wanted("v-2")}},
		"another, meanwhile":  {given(wanted("v-1")), ask("v-2"), []event.Payload{meanwhile}},
		"left behind that":    {given(wanted("v-1"), meanwhile), keep, []event.Payload{left}},
		"while it rings":      {talk[:3], ask("v-1"), []event.Payload{wanted("v-1")}},
		"behind the end":      {given(over), ask("v-1"), nil},
		"of no call at all":   {nil, ask("v-1"), nil},
		"left":                {given(wanted("v-1")), keep, []event.Payload{left}},
		"left twice":          {given(wanted("v-1"), left), keep, nil},
		"left by hanging up":  {given(wanted("v-1"), over), keep, []event.Payload{left}},
		"missed":              {given(wanted("v-1")), miss, []event.Payload{missed}},
		"missed behind it":    {given(wanted("v-1"), left), miss, nil},
		"left behind a miss":  {given(wanted("v-1"), missed), keep, []event.Payload{left}},
		"and once":            {given(wanted("v-1"), missed, left), keep, nil},
		"missed, of another":  {given(wanted("v-2")), miss, nil},
		"missed, nobody's":    {talk, miss, nil},
		"asked behind a miss": {given(wanted("v-1"), missed), ask("v-2"), []event.Payload{wanted("v-2")}},
	} {
		t.Run(name, c.run)
	}
	// a node that is lost has taken it with it
	lost := calls.MessageMissed{VoicemailID: "v-1", TransferID: "t-1", Reason: calls.TakerLost, At: after(99_000)}
	for name, c := range map[string]struct {
		past []event.Payload
		want []event.Payload
	}{
		"while it was left":  {given(wanted("v-1")), []event.Payload{lost}},
		"before an answer":   {append(slices.Clip(talk[:3]), wanted("v-1")), []event.Payload{lost}},
		"when it was left":   {given(wanted("v-1"), left), nil},
		"when there is none": {given(wanted("v-1"), missed), nil},
		"nobody's":           {talk, nil},
	} {
		t.Run("the node is lost "+name, func(t *testing.T) {
			events, err := calls.ExpireLease{At: after(99_000)}.Decide(calls.Calls.State(c.past...))
			require.NoError(t, err)
			require.Equal(t, c.want, append([]event.Payload(nil), events[:len(events)-1]...))
			require.False(t, calls.Calls.State(append(slices.Clip(c.past), events...)...).Live())
		})
	}
	for _, past := range [][]event.Payload{talk, given(wanted("v-2"))} {
		_, err := keep.Decide(calls.Calls.State(past...))
		require.True(t, fault.Is(err, fault.Conflict))
	}
	_, err := keep.Decide(calls.Calls.State(given(wanted("v-1"), over, calls.Erased{Erasure: eventtest.Erasure})...))
	require.True(t, fault.Is(err, fault.Gone))

	_, is := calls.Calls.State(given(wanted("v-1"))...).WantsMessage()
	require.True(t, is)
	for _, past := range [][]event.Payload{talk, append(slices.Clip(talk[:3]), wanted("v-1")),
		given(wanted("v-1"), left), given(wanted("v-1"), over)} {
		_, is = calls.Calls.State(past...).WantsMessage()
		require.False(t, is)
	}
}

// A message ends with a silence, a key, or its length, whichever comes first.
func TestWhenAMessageIsOver(t *testing.T) {
	at := func(kind calls.FactKind, ms int) calls.Fact { return calls.Fact{Kind: kind, At: after(ms)} }
	key := func(digit string, ms int) calls.Fact {
		return calls.Fact{Kind: calls.FactDigit, Digit: digit, At: after(ms)}
	}
	for name, c := range map[string]struct {
		facts []calls.Fact
		end   int
		by    calls.MessageEnd
		spoke bool
	}{
		"nothing is said":          {nil, 10_000, calls.EndedBySilence, false},
		"somebody speaks for good": {[]calls.Fact{at(calls.FactSpeechBegan, 500)}, 120_000, calls.EndedByLength, true},
		"spoke already":            {[]calls.Fact{at(calls.FactWords, 500)}, 120_000, calls.EndedByLength, true},
		"and stops": {[]calls.Fact{at(calls.FactSpeechBegan, 500), at(calls.FactSpeechEnded, 3_000), at(calls.FactSilence, 3_600),
			at(calls.FactWords, 3_900)}, 7_000, calls.EndedBySilence, true},
		"and goes on": {[]calls.Fact{at(calls.FactSpeechBegan, 500), at(calls.FactSpeechEnded, 3_000), at(calls.FactSpeechBegan, 6_000)},
			120_000, calls.EndedByLength, true},
		"stops at its longest": {[]calls.Fact{at(calls.FactSpeechBegan, 500), at(calls.FactSpeechEnded, 119_000)},
			120_000, calls.EndedByLength, true},
		"a key": {[]calls.Fact{at(calls.FactSpeechBegan, 500), key("5", 900), key("#", 2_000), key("#", 3_000)},
			2_000, calls.EndedByKey, true},
		"only a key": {[]calls.Fact{key("#", 700)}, 700, calls.EndedByKey, false},
	} {
		t.Run(name, func(t *testing.T) {
			m := calls.ListenForMessage(after(0))
			for _, f := range c.facts {
				m.Hear(f)
			}
			end, by := m.End()
			require.Equal(t, []any{after(c.end), c.by, c.spoke}, []any{end, by, m.Spoke()})
		})
	}
}
