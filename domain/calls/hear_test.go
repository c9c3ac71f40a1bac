package calls_test

import (
	"encoding/json"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/parley-platform/parley/domain/calls"
	"github.com/parley-platform/parley/domain/fault"
	"github.com/parley-platform/parley/domain/sessions"
)

func TestWhatIsHeardAndSaid(t *testing.T) {
	runs := &calls.Agent{Manifest: map[string]sessions.Pinned{"reminder": {Hash: "abc"}}, Language: "en"}
	talking := answered
	talking.Agent = runs
	given := history{requested(t), started, rang, talking}
	hello := calls.Heard{Number: 1, Text: "Hello", Language: "en-US", At: after(5_000)}
	hear := calls.Hear{Number: 1, Text: "Hello", Language: "en-US", At: after(5_000)}
	answer := calls.Say{Text: "Hi", Message: 3, At: after(6_000)}
	for name, sc := range map[string]scenario{
		"who takes it is said at the answer": {history{requested(t), started, rang},
			calls.Answer{SessionID: "s-1", Agent: runs, At: after(4_100)}, history{talking}},
		"the callee is heard":       {given, hear, history{hello}},
		"the same again is nothing": {append(given, hello), hear, nil},
		"the next is another": {append(given, hello), calls.Hear{Number: 2, Text: "Hello", At: after(7_000)},
			history{calls.Heard{Number: 2, Text: "Hello", At: after(7_000)}}},
		"what is written is heard": {given, calls.Hear{Number: 1, Text: "Hello", Written: true, At: after(5_000)},
			history{calls.Heard{Number: 1, Text: "Hello", Written: true, At: after(5_000)}}},
		"silence is nothing":                     {given, calls.Hear{Number: 1, At: after(5_000)}, nil},
		"nobody hears without an agent that can": {connected(t), hear, nil},
		"nobody hears before the answer":         {history{requested(t), started}, hear, nil},
		"nobody hears after the end":             {append(given, calls.Completed{At: after(4_500), By: calls.ByCallee}), hear, nil},
		"a message of the session is said":       {given, answer, history{calls.Said{Text: "Hi", Message: 3, At: after(6_000)}}},
		"and not twice":                          {append(given, calls.Said{Text: "Hi", Message: 3, At: after(6_000)}), answer, nil},
		"nor one before it":                      {append(given, calls.Said{Text: "Hi", Message: 4, At: after(6_000)}), answer, nil},
	} {
		t.Run(name, sc.run)
	}
	_, err := calls.Hear{Number: 1, Text: strings.Repeat("a", calls.LongestHeard+1)}.Decide(calls.Calls.State(given...))
	require.True(t, fault.Is(err, fault.Validation))
}

func TestWordsUpToASilenceAreOneUtterance(t *testing.T) {
	var l calls.Listener
	at := after(0)
	feed := func(all ...calls.Fact) (out []string) {
		for _, f := range all {
			at = at.Add(time.Second)
			f.At = at
			if u, ok := l.Hear(f); ok {
				require.Equal(t, f.At, u.At)
				out = append(out, u.Language+": "+u.Text)
			}
		}
		return out
	}
	word := func(text string) calls.Fact { return calls.Fact{Kind: calls.FactWords, Text: text, Language: "de"} }
	silence := calls.Fact{Kind: calls.FactSilence}
	require.Equal(t, []string{"de: guten Tag", "de: ja"}, feed(silence, word("guten"), calls.Fact{Kind: calls.FactTone},
		word(" Tag "), silence, silence, word(""), silence, word("ja"), silence))

	long := strings.Repeat("a", calls.LongestHeard/2)
	require.Equal(t, []string{"de: " + long, "de: " + long, "de: " + long}, feed(word(long), word(long), word(long), silence))
	counted := func(n int) calls.Fact { return calls.Fact{Kind: calls.FactWords, Count: n} }
	require.Equal(t, []string{": "}, feed(counted(3), counted(0), counted(-1), silence, silence), "words that nobody recognised")
	require.Equal(t, []string{"de: ja"}, feed(counted(3), word("ja"), counted(2), silence), "a text wins")
	l.Hear(counted(3))
	l.Hear(counted(2))
	u, _ := l.Hear(silence)
	require.Equal(t, calls.Utterance{Words: 5}, u)
	l.Hear(counted(3))
	l.Hear(word("guten Tag"))
	u, _ = l.Hear(silence)
	require.Equal(t, calls.Utterance{Text: "guten Tag", Words: 2, Language: "de"}, u)

	longer := strings.Repeat("ä", 2*calls.LongestHeard)
	require.Equal(t, []string{"de: " + strings.Repeat("ä", calls.LongestHeard-1)}, feed(word(longer), silence))
}

func TestTheSimulatedCalleeIsToldItsLines(t *testing.T) {
	says := func(target, metadata string) []string {
		r := requested(t, func(c *calls.DialOut) { c.Target, c.Metadata = target, json.RawMessage(metadata) })
		return calls.Calls.State(r, started).LegRequest().Says
	}
	require.Equal(t, []string{"Hello", "17"}, says(calls.Talker, `{"says":["Hello","17"],"order":1}`))
	require.Empty(t, says(calls.Talker, `{"says":null}`))
	require.Empty(t, says(calls.Talker, `{}`))
	require.Empty(t, says("tel:+15550000001", `{"says":["Hello"]}`), "the others have lines of their own")

	for metadata, problem := range map[string]string{
		`{"says":"Hello"}`: "array", `{"says":[1]}`: "array", `{"says":{}}`: "array",
		`{"says":["` + strings.Repeat("a", calls.LongestSays+1) + `"]}`:    "characters",
		`{"says":[` + strings.Repeat(`"a",`, calls.MostSays) + `"a"]}`:     "lines",
		`{"says":["` + strings.Repeat("a", calls.LongestSays) + `",null]}`: "",
	} {
		found := dialOut(func(c *calls.DialOut) { c.Target, c.Metadata = "tel:15550000011", json.RawMessage(metadata) }).Validate()
		if problem == "" {
			require.Empty(t, found, metadata)
			continue
		}
		require.Len(t, found, 1, metadata)
		require.Equal(t, "metadata.says", found[0].Field)
		require.Contains(t, found[0].Problem, problem)
	}
}

// Words count for how sure one is of them, and what nobody is sure of does not.
func TestHowSureOneIsOfWhatWasHeard(t *testing.T) {
	var l calls.Listener
	for _, f := range []calls.Fact{
		{Kind: calls.FactWords, Text: "three words long", Confidence: 0.9, Language: "en"},
		{Kind: calls.FactWords, Text: "unsure"},
		{Kind: calls.FactWords, Text: "one", Confidence: 0.5},
	} {
		_, over := l.Hear(f)
		require.False(t, over)
	}
	first, over := l.Hear(calls.Fact{Kind: calls.FactSilence, At: after(1_000)})
	require.True(t, over)
	require.InDelta(t, (3*0.9+0.5)/4, first.Confidence, 1e-9)
	first.Confidence = 0
	require.Equal(t, calls.Utterance{Text: "three words long unsure one", Words: 5, Language: "en", At: after(1_000)}, first)

	_, over = l.Hear(calls.Fact{Kind: calls.FactSilence, At: after(2_000)})
	require.False(t, over, "nothing was said since")
}

func TestTwoBreaths(t *testing.T) {
	sure := calls.Utterance{Text: "My number is", Words: 3, Confidence: 0.9, Language: "en", At: after(1_000)}
	surer := calls.Utterance{Text: "five", Words: 1, Confidence: 0.5, Language: "de", At: after(2_000)}
	counted := calls.Utterance{Words: 2, At: after(3_000)}
	both := sure.And(surer)
	require.InDelta(t, (3*0.9+0.5)/4, both.Confidence, 1e-9)
	both.Confidence = 0
	require.Equal(t, calls.Utterance{Text: "My number is five", Words: 4, Language: "de", At: after(2_000)}, both)
	require.Equal(t, calls.Utterance{Text: "My number is", Words: 5, Confidence: 0.9, Language: "en", At: after(3_000)}, sure.And(counted))
	require.Equal(t, calls.Utterance{Text: "five", Words: 3, Confidence: 0.5, Language: "de", At: after(2_000)}, counted.And(surer))
}
