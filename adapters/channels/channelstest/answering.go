package channelstest

import (
	"time"

	"github.com/stretchr/testify/assert"

	"github.com/parley-platform/parley/domain/channels"
)

// Answerer is a Receiver whose provider waits for the answer, as handlers/rest/channels wants it.
type Answerer interface {
	Patience() time.Duration
	Answer(c channels.Connection, r channels.Request, reply channels.Reply) channels.Answer
}

// replies are what an agent may leave to be answered with.
var replies = map[string]channels.Reply{
	"nothing": {State: channels.GoesOn},
	"a text":  {State: channels.GoesOn, Said: []channels.Outbound{{Text: `Fish & <chips> "now"? 😀`}}},
	"several": {State: channels.GoesOn, Said: []channels.Outbound{{Text: "one"}, {Text: "two"}}},
	"choices": {State: channels.GoesOn, Said: []channels.Outbound{{Text: "Which?",
		Choices: []channels.Choice{{Token: "1.0", Label: "<A>"}}}}},
	"it takes longer":   {State: channels.Working},
	"half of it":        {State: channels.Working, Said: []channels.Outbound{{Text: "one"}}},
	"the end":           {State: channels.Ended, Said: []channels.Outbound{{Text: "Goodbye."}}},
	"people have it":    {State: channels.Escalated},
	"nobody answers":    {State: channels.Unanswered, Code: "NOT_FOUND"},
	"said on a line":    {State: channels.Elsewhere},
	"what nobody knows": {},
}

// answered wants an answer to whatever an agent leaves: the same for a repeat, with its type, and without
// a secret. Of a provider that does not wait there is none.
func answered(t T, s Suite) {
	adapter, err := s.New("")
	assert.NoError(t, err)
	by, waits := adapter.(Answerer)
	if !waits {
		return
	}
	assert.Positive(t, by.Patience())
	assert.Less(t, by.Patience(), 30*time.Second)
	for name, said := range s.Inbound.Says {
		r := s.Inbound.Sign(s.Connection, said.Request)
		for why, reply := range replies {
			got := by.Answer(s.Connection, r, reply)
			assert.NotEmpty(t, got.ContentType, "%s, %s", name, why)
			assert.NotEmpty(t, got.Body, "%s, %s", name, why)
			assert.Equal(t, got, by.Answer(s.Connection, r, reply), "%s, %s: a repeat is answered as it was", name, why)
			s.silent(t, string(got.Body))
		}
		r.Body = []byte("\xff<no such thing>&%zz")
		assert.NotEmpty(t, by.Answer(s.Connection, r, channels.Reply{State: channels.GoesOn}).Body, "%s: what cannot be read is answered", name)
	}
}
