// Package channelstest is what every channel's adapter passes, each with fixtures of its
// own: what its provider published of requests, answers and signatures.
//
// It owns what all adapters promise to those who use them: asked once, no doubt that is
// called certain, no request of a stranger that is believed, and no secret that is shown.
// It knows no provider.
package channelstest

import (
	"context"
	"net/http"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/parley-platform/parley/domain/channels"
)

// Adapter carries messages to people, as handlers/reactors/channels wants it.
type Adapter interface {
	Name() string
	Limits() channels.Limits
	Send(ctx context.Context, c channels.Connection, m channels.Outbound) channels.Outcome
	Lookup(ctx context.Context, c channels.Connection, q channels.Doubt) (channels.Outcome, error)
}

// Receiver reads what a provider sends us, as handlers/rest/channels wants it.
type Receiver interface {
	Routes(r channels.Request) []string
	Verify(c channels.Connection, r channels.Request) error
	Parse(c channels.Connection, r channels.Request) (channels.Received, error)
}

// Fetcher gets what people send with their messages, as handlers/reactors/channels wants it.
type Fetcher interface {
	Fetch(ctx context.Context, c channels.Connection, f channels.File) (channels.Fetched, error)
}

// Suite is an adapter and its fixtures.
type Suite struct {
	New        func(base string) (Adapter, error) // one that asks the provider at base; "" is its own address
	Connection channels.Connection
	Public     []string          // credentials that are no secret, such as an account's id
	Outbound   channels.Outbound // that the provider takes; no other fixture has its text

	Provider *Provider // nil: the adapter asks nobody
	Inbound  *Inbound  // nil: nothing comes in
	Files    *Files    // nil: no files come in, or none that are fetched
	Drafts   *Drafts   // nil: nothing is shown while it is being written
}

// Provider is how a provider answers when it is asked to send Outbound.
type Provider struct {
	// Problem is what it finds wrong with a request; empty: nothing.
	Problem func(r *http.Request, body []byte) string
	// Key is the part of a request by which it knows a repeat; nil: it takes none.
	Key func(r *http.Request, body []byte) string

	Taken   Case            // its published example of a message that it took
	Final   Case            // of one that it refuses for good
	Limited Reply           // 429, with its body; the suite adds Retry-After
	Denied  Case            // the credentials are wrong: the connection is to show it
	Others  map[string]Case // what else it is known to answer
}

// Case is an answer and what it means.
type Case struct {
	Reply Reply
	Want  channels.Outcome
}

// Denies is the case of credentials that are not accepted.
func (c Case) Denies() Case {
	c.Want.Denied = true
	return c
}

// Stops is the case of a person who wants no messages.
func (c Case) Stops() Case {
	c.Want.OptedOut = true
	return c
}

// Reply is an answer over HTTP.
type Reply struct {
	Status int
	Header map[string]string
	Body   string
}

// Files is how a provider gives what a person sent.
type Files struct {
	// File is one as an entry names it, whose content is at an address.
	File func(address string) channels.File
	// Before answers what is asked before the content, which is at the address; nil: nothing is.
	// ok is false for the request of the content.
	Before func(r *http.Request, address string) (answer Reply, ok bool)
	// Problem is what it finds wrong with the request of the content; empty: nothing.
	Problem func(r *http.Request) string
	// Fixed says why an address cannot be another than the provider's; empty: it can.
	Fixed string
}

// Inbound is what a provider sends us.
type Inbound struct {
	// Sign makes a request one that the provider sends to the connection.
	Sign func(c channels.Connection, r channels.Request) channels.Request
	// Unsigned says why the body may be altered; empty: it may not.
	Unsigned string
	// Another is a connection of another account. Nothing that is for Connection is for it.
	Another channels.Connection

	Vectors []Vector                                  // published
	Says    map[string]Said                           // entries, reports and calls
	Ignored map[string]channels.Request               // what says nothing to us; "echo" is of what we sent
	Extend  func(r channels.Request) channels.Request // by a member that nobody knows yet
}

// Vector is a signature that somebody published.
type Vector struct {
	Source  string
	Secret  channels.Credentials
	Request channels.Request
	Good    bool
}

// Said is a request and what it says. The suite signs it.
type Said struct {
	Request channels.Request
	Want    channels.Received
}

// T is what a check needs of a test.
type T interface {
	require.TestingT
	Context() context.Context
}

// check is one promise.
type check struct {
	name string
	run  func(t T, s Suite)
}

// Run checks every promise.
func Run(t *testing.T, s Suite) {
	t.Helper()
	for i, c := range s.checks() {
		if ok := t.Run(c.name, func(t *testing.T) { c.run(t, s) }); !ok && i == 0 {
			return // what is missing is named; the rest would stumble over it
		}
	}
}

func (s Suite) checks() []check {
	out := append([]check{{"the fixtures are complete", complete}}, always...)
	if s.Provider != nil {
		out = append(out, asking...)
	}
	if s.Inbound != nil {
		out = append(out, receiving...)
	}
	if s.Files != nil {
		out = append(out, fetching...)
	}
	if s.Drafts != nil {
		out = append(out, drafting...)
	}
	return out
}

// complete names each fixture that is not there.
func complete(t T, s Suite) {
	there := map[string]bool{"New": s.New != nil, "Connection": s.Connection.ID != "" && s.Connection.Kind != "",
		"Outbound": s.Outbound.Reference != "" && s.Outbound.To != "" && s.Outbound.Text != ""}
	if p := s.Provider; p != nil {
		there["Connection.Credentials"] = len(s.secrets()) > 0
		there["Provider.Problem"] = p.Problem != nil
		there["Provider.Taken"] = p.Taken.Reply.Status != 0 && p.Taken.Want.Status == channels.Taken
		there["Provider.Final"] = p.Final.Reply.Status != 0 && p.Final.Want.Status == channels.Refused
		there["Provider.Limited"] = p.Limited.Status != 0
		there["Provider.Denied"] = p.Denied.Reply.Status != 0 && p.Denied.Want.Denied
	}
	if in := s.Inbound; in != nil {
		_, echo := in.Ignored["echo"]
		there["Connection.External"] = s.Connection.External != ""
		there["Inbound.Sign"], there["Inbound.Extend"] = in.Sign != nil, in.Extend != nil
		there["Inbound.Another"] = in.Another.ID != ""
		there["Inbound.Says"] = len(in.Says) > 0
		there[`Inbound.Ignored["echo"]`] = echo
	}
	if d := s.Drafts; d != nil {
		there["Drafts.To"], there["Drafts.Problem"] = d.To != "", d.Problem != nil
	}
	if f := s.Files; f != nil {
		there["Files.File"], there["Files.Problem"] = f.File != nil, f.Problem != nil
	}
	for name, given := range there {
		if !given {
			t.Errorf("the fixture %s of the suite is missing: give what the provider published, see channelstest.Suite", name)
		}
	}
	if adapter, err := s.New(""); err != nil {
		t.Errorf("New cannot make the adapter for the provider's own address: %v", err)
	} else {
		if _, ok := adapter.(Receiver); !ok && s.Inbound != nil {
			t.Errorf("%T receives nothing: give it Routes, Verify and Parse, or leave Inbound out", adapter)
		}
		if _, ok := adapter.(Drafter); ok != (s.Drafts != nil) {
			t.Errorf("%T has Draft (%t) and the suite has Drafts (%t): both, or none", adapter, ok, s.Drafts != nil)
		}
		if _, ok := adapter.(Fetcher); ok != (s.Files != nil) {
			t.Errorf("%T has Fetch (%t) and the suite has Files (%t): both, or none", adapter, ok, s.Files != nil)
		}
	}
}

// secrets are the values that must be shown nowhere.
func (s Suite) secrets() (out []string) {
	public := map[string]bool{}
	for _, name := range s.Public {
		public[name] = true
	}
	for name := range s.Connection.Credentials {
		if v := s.Connection.Credentials.Reveal(name); v != "" && !public[name] {
			out = append(out, v)
		}
	}
	return out
}
