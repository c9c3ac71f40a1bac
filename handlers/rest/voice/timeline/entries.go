package timeline

import (
	"cmp"
	"fmt"

	"github.com/parley-platform/parley/domain/calls"
	"github.com/parley-platform/parley/domain/event"
)

// Whose doing an entry is.
const (
	person    = "person"
	agent     = "agent"
	carrier   = "carrier"
	detection = "detection"
)

// entryOf is what people are shown of an event; not shown are signs of life, and who has which line.
func entryOf(p event.Payload) (e entry, shown bool) {
	switch p := p.(type) {
	case calls.Requested:
		return entry{Kind: "requested", Who: agent, Detail: "carrier " + p.Provider, when: p.At}, true
	case calls.Arrived:
		return entry{Kind: "arrived", Who: person, Detail: "carrier " + p.Provider, when: p.At}, true
	case calls.AttemptStarted:
		return entry{Kind: "attempt-started", Who: carrier, Detail: "node " + p.Node, when: p.At}, true
	case calls.Ringing:
		return entry{Kind: "ringing", Who: carrier, when: p.At}, true
	case calls.Answered:
		return entry{Kind: "answered", Who: person, when: p.At}, true
	case calls.Adopted:
		return entry{Kind: "adopted", Who: carrier, Detail: "node " + p.Node, when: p.At}, true
	case calls.Held:
		return entry{Kind: "held", Who: person, when: p.At}, true
	case calls.Resumed:
		return entry{Kind: "resumed", Who: person, when: p.At}, true
	case calls.PersonCalled:
		return entry{Kind: "person-called", Who: agent, Text: p.Summary, Detail: p.Target, when: p.At}, true
	case calls.LegTransferred:
		return entry{Kind: "leg-transferred", Who: carrier, Detail: p.Reason, when: p.At}, true
	case calls.PersonFreed:
		return entry{Kind: "person-freed", Who: agent, when: p.At}, true
	case calls.MessageWanted:
		return entry{Kind: "message-wanted", Who: agent, when: p.At}, true
	case calls.MessageLeft:
		return entry{Kind: "message-left", Who: person, Detail: fmt.Sprintf("%d ms, ended by %s", p.Ms, p.By), when: p.At}, true
	case calls.MessageMissed:
		return entry{Kind: "message-missed", Who: person, Detail: p.Reason, when: p.At}, true
	case calls.StatusTold:
		return told(p), true
	case calls.Said:
		return entry{Kind: "said", Who: agent, Text: p.Text, when: p.At}, true
	case calls.Played:
		return played(p), true
	case calls.Heard:
		return heard(p), true
	case calls.DigitsPressed:
		return entry{Kind: "digits-pressed", Who: person, Detail: fmt.Sprintf("%d keys", len(p.Digits)), when: p.At}, true
	case calls.AmdDetected:
		return entry{Kind: "amd-detected", Who: detection, Text: cmp.Or(p.Greeting, p.Hint),
			Detail: string(p.Result) + reasonOf(string(p.Reason)), when: p.At}, true
	case calls.Completed:
		return entry{Kind: "completed", Who: whoEnded[p.By], Detail: string(p.ReasonCode) + reasonOf(p.Cause), when: p.At}, true
	case calls.Failed:
		return entry{Kind: "failed", Who: carrier, Detail: p.Reason, when: p.At}, true
	case calls.Recorded:
		return entry{Kind: "recorded", Detail: fmt.Sprintf("%d ms", p.Ms), when: p.At}, true
	case calls.RecordingFailed:
		return entry{Kind: "recording-failed", Detail: p.Reason, when: p.At}, true
	}
	return entry{}, false
}

func told(p calls.StatusTold) entry {
	e := entry{Kind: "status-told", Who: carrier, Detail: p.Raw, when: p.At}
	if p.Late {
		e.Detail += ", late"
	}
	return e
}

// played shows what was heard of a text only where it was cut off: the whole of it is what was said.
func played(p calls.Played) entry {
	e := entry{Kind: "played", Who: agent, Detail: fmt.Sprintf("%d ms", p.Ms), when: p.At}
	if p.Interrupted {
		e.Text, e.Detail = p.Heard, e.Detail+", cut off"
	}
	return e
}

func heard(p calls.Heard) entry {
	e := entry{Kind: "heard", Who: person, Text: p.Text, when: p.At}
	if p.Confidence > 0 {
		e.Detail = fmt.Sprintf("confidence %.2f", p.Confidence)
	}
	return e
}

var whoEnded = map[calls.Party]string{calls.ByCallee: person, calls.ByBot: agent, calls.ByGateway: carrier}

func reasonOf(why string) string {
	if why == "" {
		return ""
	}
	return ": " + why
}
