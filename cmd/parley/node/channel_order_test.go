package node_test

import (
	"fmt"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"
)

// hearingAgent says what it heard, and ends: each message begins a session of its own.
const hearingAgent = `DSL: 1
AGENT: hearing
FLOW: {START: a, STEPS: {a: {SAY: "Heard {{ turn.text }}.", END: true}}}
`

// hearing is an app by which one is heard.
func (w threadWorld) hearing(t *testing.T) slackApp {
	w.apply(t, "Agent", "a-hearing", "hearing", fields{"projectId": mainApp, "dslContent": hearingAgent})
	w.deploy(t, "staging", fields{"entryAgentName": "hearing"})
	return w.slack(t, fields{"environment": "staging"})
}

func heard(texts ...string) (out []string) {
	for _, text := range texts {
		out = append(out, "Heard "+text+".")
	}
	return out
}

// Given an agent whose sessions end with each answer, when messages of one conversation come faster than
// they are answered, at two nodes, then the answers go out in the order of the messages, though each
// is of another session.
func TestAnswersComeInTheOrderOfTheMessages(t *testing.T) {
	t.Parallel()
	w := newThreadWorld(t)
	s := w.hearing(t)
	const people, messages = 4, 12
	var writing sync.WaitGroup
	for p := range people {
		writing.Go(func() {
			for n := range messages {
				on := []*server{w.a, w.b}[n%2]
				body := s.event(fmt.Sprint("D", p), fmt.Sprintf("1700000000.%06d", n+1), fmt.Sprint(n))
				until(t, "a message to be taken", func() bool { // its provider sends it again until it is
					return on.do(t, "POST", s.path(), body, slackHeaders("hush-signing", body)...).Status == 200
				})
			}
		})
	}
	writing.Wait()
	for p := range people {
		var want []string
		for n := range messages {
			want = append(want, fmt.Sprint(n))
		}
		require.Equal(t, heard(want...), lines(w.answers(t, "channel", fmt.Sprint("D", p), messages), "text"), strings.Repeat("-", p))
	}
}
