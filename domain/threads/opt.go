package threads

import (
	"cmp"
	"time"

	"github.com/parley-platform/parley/domain/channels"
	"github.com/parley-platform/parley/domain/event"
)

// CodeOptedOut is the code of a reply that does not go out because the person wants none.
const CodeOptedOut = "OPTED_OUT"

const optedOut = "the recipient has opted out"

// Opted says that the person wants no replies any more, or wants them again: they said so themselves, or
// the provider did when it refused a reply.
type Opted struct {
	TenantID     string    `json:"tenantId"`
	ProjectID    string    `json:"projectId"`
	ConnectionID string    `json:"connectionId"`
	Kind         string    `json:"channelType"`
	Out          bool      `json:"out"`
	Thread       string    `json:"thread,omitempty" personal:"customer"`
	From         string    `json:"from,omitempty" personal:"customer"`
	ReplyTo      string    `json:"replyTo,omitempty" personal:"customer"`
	SessionID    string    `json:"sessionId,omitempty"` // that answered until then
	ByProvider   bool      `json:"byProvider,omitempty"`
	At           time.Time `json:"at"`
}

var _ = event.Register[Opted](Threads, "opted", 1)

// Ended is a session that ends because its person wants no replies. Nobody may have ended it yet.
type Ended struct {
	Session string // empty: none
	After   int    // the message that was received last before that
}

// OptedOutOf is whether who wants no replies any more said so after a message, and knew nothing yet of the session that has it.
func (s State) OptedOutOf(number int, session string) bool {
	return s.Stopped && number <= s.Ended.After && session != s.Ended.Session
}

// Answerer is the session that answered last, where it is the one for a message: what was said behind the
// word that ends it is none of its own. Empty: there is none.
func (s State) Answerer(m Received) string {
	if s.Session == s.Ended.Session && m.Number > s.Ended.After {
		return ""
	}
	return s.Session
}

// opted is what somebody who wants no replies, or wants them again, says by that. is is false where
// what was said is a message as any other.
func (c Receive) opted(s State) (out []event.Payload, is bool) {
	e := c.Entry
	wants := e.Opt == channels.OptOut
	if e.Opt == "" || !wants && !s.Stopped {
		return nil, e.Opt != "" && e.Text == ""
	}
	if wants && s.Stopped && !s.Blocked { // what the provider said is theirs from now on
		return nil, true
	}
	said := c.opt(wants)
	said.SessionID = s.Session
	out = append(out, said)
	if wants {
		out = append(out, s.unwanted(event.Stamp(c.At))...)
	}
	return out, true
}

// unwanted are the replies that wait to go out when somebody wants none any more: who wants them again within a
// pause is not sent what was said before. Those behind one that is on its way follow when it is known what came of that.
func (s State) unwanted(at time.Time) (out []event.Payload) {
	if s.Attempt.Claimed() {
		return nil
	}
	for i, r := range s.Replies {
		f := Failed{Reply: r.Reply, Part: r.Part, SessionID: r.SessionID, Code: CodeOptedOut, Reason: optedOut, At: at}
		if i == 0 {
			f.Attempts = s.Attempt.Begun()
		}
		out = append(out, f)
	}
	return out
}

func (c Receive) opt(out bool) Opted {
	e := c.Entry
	return Opted{TenantID: c.TenantID, ProjectID: c.ProjectID, ConnectionID: c.ConnectionID, Kind: c.Kind, Out: out, Thread: e.Thread,
		From: e.From, ReplyTo: cmp.Or(e.ReplyTo, e.From), At: event.Stamp(c.At)}
}

// opens is what a message says by coming at all, of somebody who by a provider's word wants no replies:
// who has blocked an account and writes to it has let it in again, and says so by nothing else. What
// they said themselves they take back themselves.
func (c Receive) opens(s State) []event.Payload {
	if !s.Blocked {
		return nil
	}
	return []event.Payload{c.opt(false)}
}

// refusedBy is what a provider's refusal says of the person, beside the reply.
func (s State) refusedBy(o channels.Outcome, at time.Time) (out []event.Payload) {
	if o.OptedOut && !s.Stopped {
		out = append(out, Opted{TenantID: s.TenantID, ProjectID: s.ProjectID, ConnectionID: s.ConnectionID, Kind: s.Kind, Out: true,
			SessionID: s.Session, ByProvider: true, At: at})
	}
	return out
}

// Apply holds until the person says otherwise.
func (e Opted) Apply(s *State) {
	s.ConnectionID, s.TenantID, s.ProjectID, s.Kind, s.Stopped = e.ConnectionID, e.TenantID, e.ProjectID, e.Kind, e.Out
	s.Blocked = e.Out && e.ByProvider
	if e.Out {
		s.Ended, s.Open = Ended{Session: e.SessionID, After: s.Received}, 0
	}
	if e.From != "" {
		s.From, s.ReplyTo = e.From, e.ReplyTo
	}
}
