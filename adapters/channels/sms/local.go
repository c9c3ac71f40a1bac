// Package sms is the channel of text messages: by Twilio, and a local provider that sends
// nothing and answers by rules.
//
// It owns how a provider is asked and what its answers mean, and what Twilio's requests to
// us say. It never repeats a request, decides nothing about texts and writes no events. It
// never logs: what it handles are people's numbers and what they are told.
package sms

import (
	"context"
	"strings"

	"github.com/parley-platform/parley/adapters/channels/wire"
	"github.com/parley-platform/parley/domain/channels"
	"github.com/parley-platform/parley/domain/texts"
)

var limits = channels.Limits{Text: texts.MaxText, Unit: channels.Characters, Once: true}

// Local is the provider of a server that is told of no other. It sends nothing: the
// message and its outcome stand on the log and in the list of messages, marked local.
// It answers by the recipient's number, +1555000 and then
//
//	0005  refused: the number takes no text messages
//	0006  refused: the recipient has opted out
//	0007  not available for the first attempt, takes the second
//	0008  does not answer, and cannot tell afterwards
//	0009  does not answer, and has taken it when it is asked afterwards
//	0010  never available
//
// and takes everything else.
type Local struct{}

// ProviderLocal is its name.
const ProviderLocal = "local"

const simulated = "+1555000"

// Name is the provider that events and lists show.
func (Local) Name() string { return ProviderLocal }

// Limits are those of all text messages.
func (Local) Limits() channels.Limits { return limits }

// Send answers at once.
func (Local) Send(ctx context.Context, _ channels.Connection, m channels.Outbound) channels.Outcome {
	if ctx.Err() != nil {
		return channels.Outcome{Status: channels.NotTaken, Code: "UNAVAILABLE", Reason: "the sending was given up before it began"}
	}
	if out, unfit := wire.Unfit(limits, m.Text, nil); unfit {
		return out
	}
	switch rule, _ := strings.CutPrefix(m.To, simulated); {
	case rule == "0005":
		return channels.Outcome{Status: channels.Refused, Code: "NOT_MOBILE", Reason: "the number takes no text messages"}
	case rule == "0006":
		return channels.Outcome{Status: channels.Refused, Code: "OPTED_OUT", Reason: "the recipient has opted out"}
	case rule == "0007" && m.Attempt == 1, rule == "0010":
		return channels.Outcome{Status: channels.NotTaken, Code: "UNAVAILABLE", Reason: "the provider is not available"}
	case rule == "0008", rule == "0009":
		return channels.Outcome{Reason: "the provider did not answer"}
	}
	return taken(m.Reference, m.Text)
}

// Lookup knows what became of a message to 0009. Of others it cannot tell: it keeps no
// record, and the node that asked it may be gone.
func (Local) Lookup(_ context.Context, _ channels.Connection, q channels.Doubt) (channels.Outcome, error) {
	if q.To == simulated+"0009" {
		return taken(q.Reference, ""), nil
	}
	return channels.Outcome{}, nil
}

func taken(reference, text string) channels.Outcome {
	r := channels.Outcome{Status: channels.Taken, ProviderMessageID: "local-" + reference}
	if text != "" {
		r.Segments = texts.Segments(text)
	}
	return r
}
