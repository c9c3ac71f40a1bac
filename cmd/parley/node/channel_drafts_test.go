//go:build !apache

package node_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// spoken is a thread world whose agent a model leads that says what it is handed, word by word.
func (w threadWorld) spoken(t *testing.T) (slackApp, *speaker) {
	t.Helper()
	model := newSpeaker(t)
	w.posted(t, nil, ofKind("ModelProvider", "speaker", fields{"projectId": mainAlias, "kind": "openai", "baseUrl": model.URL + "/v1",
		"apiKey": "k", "models": []fields{{"id": "spoken", "tier": "balanced"}}})).must(t, 200)
	w.apply(t, "Agent", "a-teller", "teller", fields{"projectId": mainApp, "dslContent": "DSL: 1\nAGENT: teller\nGOAL: Tell.\n"})
	w.deploy(t, "dev", fields{"entryAgentName": "teller"})
	return w.slack(t, fields{"environment": "dev"}), model
}

// steps are what a provider was asked for, by the last word of the path, with the texts.
func steps(all []map[string]any) (out []string) {
	for _, m := range all {
		path := m["path"].(string)
		text, _ := m["text"].(string)
		out = append(out, strings.TrimSpace(path[strings.LastIndex(path, ".")+1:]+" "+text))
	}
	return out
}

// Given a model that takes its time, then what it says is read while it speaks, in one message that is
// edited until all of it is there. What comes to nothing is taken away again; what is said at once is a message
// as any other.
func TestWhatIsBeingSaidIsShown(t *testing.T) {
	w := newThreadWorld(t)
	s, model := w.spoken(t)
	s.post(t, w.a, s.event("D1", "1700000001.000100", "Hello")).must(t, 200)
	model.words <- "Once "
	require.Equal(t, []string{"postMessage Once"}, steps(w.answers(t, "channel", "D1", 1)), "while the model speaks")
	model.words <- "upon a time"
	w.answers(t, "channel", "D1", 2)
	model.words <- " & more.|"
	delivery := w.sent(t, s.id, 1)[0]
	all := w.answers(t, "channel", "D1", 3)
	require.Equal(t, []string{"postMessage Once", "update Once upon a time", "update Once upon a time &amp; more."}, steps(all))
	require.Equal(t, "1700000000.000001", all[2]["ts"], "the message that is there")
	require.Equal(t, 1.0, delivery["attempts"])

	s.post(t, w.a, s.event("D1", "1700000002.000100", "And then?")).must(t, 200)
	model.words <- "Well "
	w.answers(t, "channel", "D1", 4)
	w.ask(t, "DELETE", sessionsPath+"/"+delivery["sessionId"].(string), nil).must(t, 200)
	require.Equal(t, []string{"postMessage Well", "delete"}, steps(w.answers(t, "channel", "D1", 5)[3:]))
	require.Len(t, w.sent(t, s.id, 1), 1)

	s.post(t, w.b, s.event("D1", "1700000003.000100", "Hello?")).must(t, 200)
	model.words <- "Yes.|"
	require.Equal(t, []string{"postMessage Yes."}, steps(w.answers(t, "channel", "D1", 6)[5:]))
	w.sent(t, s.id, 2)
}
