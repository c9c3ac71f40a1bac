package replays

import (
	"github.com/parley-platform/parley/domain/event"
	"github.com/parley-platform/parley/domain/sessions"
)

// unsaid are the messages that their senders have taken back, by their ids. What came of them is decided again as of
// all others, by the words that stand on the log; they are shown to nobody.
type unsaid map[string]bool

func takenBack(commits []Commit) unsaid {
	out := unsaid{}
	for _, c := range commits {
		for _, p := range c {
			if e, is := p.(sessions.MessageTakenBack); is {
				out[e.MessageID] = true
			}
		}
	}
	return out
}

func (u unsaid) has(p event.Payload) bool {
	m, is := sessions.HeardAs(p)
	return is && u[m.MessageID]
}

// hide is an event without the words and the files of such a message.
func (u unsaid) hide(p event.Payload) event.Payload {
	if !u.has(p) {
		return p
	}
	switch e := p.(type) {
	case sessions.MessageReceived:
		e.Text, e.Action, e.Metadata, e.Attachments = sessions.TakenBackLine, nil, nil, nil
		return e
	case sessions.PassedOn:
		e.Text, e.Action, e.Metadata, e.Attachments = sessions.TakenBackLine, nil, nil, nil
		return e
	}
	return p
}
