package channelstest

import (
	"bytes"
	"slices"
	"strings"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/parley-platform/parley/domain/channels"
	"github.com/parley-platform/parley/domain/fault"
)

// receiving holds of adapters that read what a provider sends.
var receiving = []check{
	{"published signatures are judged as they were published", vectors},
	{"what the provider sends is believed", believed},
	{"a signature that is missing, broken or of another connection is refused", refused},
	{"a request that was altered on its way is refused", altered},
	{"a connection without secrets believes nobody", secretless},
	{"entries and reports are read, the same way twice", read},
	{"a request is judged and read with little memory", spares},
	{"what says nothing to us is left out", ignored},
	{"what nobody knows yet is passed over", extended},
	{"another connection gets nothing of it", another},
	{"no body makes it panic, or make something up", hostile},
	{"whoever waits for an answer has one, the same for a repeat", answered},
}

func (s Suite) receiver(t T) Receiver {
	adapter, err := s.New("")
	require.NoError(t, err)
	receiver, ok := adapter.(Receiver)
	require.True(t, ok, "%T receives nothing", adapter)
	return receiver
}

func vectors(t T, s Suite) {
	for _, v := range s.Inbound.Vectors {
		c := s.Connection
		c.Credentials = v.Secret
		err := s.receiver(t).Verify(c, v.Request)
		assert.Equal(t, v.Good, err == nil, "%s: %v", v.Source, err)
	}
}

func believed(t T, s Suite) {
	for name, said := range s.Inbound.Says {
		r := s.Inbound.Sign(s.Connection, said.Request)
		assert.NoError(t, s.receiver(t).Verify(s.Connection, r), name)
		if routes := s.receiver(t).Routes(r); len(routes) > 0 {
			assert.Contains(t, routes, s.Connection.External, "%s: on a shared path the request leads to the connection", name)
		}
	}
}

// unbelieved wants a request refused, with words that tell nobody a secret.
func (s Suite) unbelieved(t T, c channels.Connection, r channels.Request, why string) {
	err := s.receiver(t).Verify(c, r)
	if !assert.Error(t, err, why) {
		return
	}
	assert.True(t, fault.Is(err, fault.Unauthorized) || fault.Is(err, fault.Forbidden), "%s: a refusal is 401 or 403: %v", why, err)
	s.silent(t, err)
}

func refused(t T, s Suite) {
	for name, said := range s.Inbound.Says {
		good := s.Inbound.Sign(s.Connection, said.Request)
		s.unbelieved(t, s.Connection, s.Inbound.Sign(s.Inbound.Another, said.Request), name+": of another connection")
		s.unbelieved(t, s.Inbound.Another, good, name+": shown to another connection")
		bare := said.Request
		bare.Header = map[string][]string{}
		if bare.URL == good.URL {
			s.unbelieved(t, s.Connection, bare, name+": without a signature")
		}
		for header, values := range good.Header {
			if slices.Equal(values, said.Request.Header[header]) {
				continue // not a part of the signature
			}
			for why, broken := range map[string][]string{"missing": nil, "empty": {""}, "no signature": {"x"}, "cut": {values[0][:len(values[0])-1]},
				"twice": {values[0], values[0]}, "long": {strings.Repeat("a", 1<<20)}, "not ASCII": {"\xff\x00é"}} {
				r := good
				r.Header = map[string][]string{}
				for name, values := range good.Header {
					r.Header[name] = values
				}
				r.Header[header] = broken
				s.unbelieved(t, s.Connection, r, name+": "+header+" "+why)
			}
		}
	}
}

func altered(t T, s Suite) {
	if s.Inbound.Unsigned != "" {
		return // the provider does not sign what it sends
	}
	for name, said := range s.Inbound.Says {
		good := s.Inbound.Sign(s.Connection, said.Request)
		for why, body := range map[string][]byte{"cut": good.Body[:len(good.Body)-1], "longer": append(slices.Clone(good.Body), 'x'),
			"empty": nil, "one byte": bytes.Replace(good.Body, good.Body[len(good.Body)/2:len(good.Body)/2+1], []byte("~"), 1)} {
			r := good
			r.Body = body
			s.unbelieved(t, s.Connection, r, name+": the body, "+why)
		}
	}
}

// secretless would take what anybody can sign: an empty secret is no secret.
func secretless(t T, s Suite) {
	c := s.Connection
	c.Credentials = channels.Credentials{}
	for name, said := range s.Inbound.Says {
		s.unbelieved(t, c, s.Inbound.Sign(c, said.Request), name)
	}
}

func read(t T, s Suite) {
	for name, said := range s.Inbound.Says {
		r := s.Inbound.Sign(s.Connection, said.Request)
		for range 2 {
			got, err := s.receiver(t).Parse(s.Connection, r)
			assert.NoError(t, err, name)
			assert.Equal(t, said.Want, got, name)
			known(t, name, got)
		}
	}
}

// known wants every entry and report to have an id by which a repeat is seen.
func known(t T, name string, got channels.Received) {
	seen := map[string]bool{"": true}
	for _, e := range got.Entries {
		assert.False(t, seen[e.ExternalID], "%s: entry %q has no id of its own", name, e.ExternalID)
		assert.NotEmpty(t, e.Thread, "%s: in which conversation?", name)
		assert.NotEmpty(t, e.From, "%s: by whom?", name)
		seen[e.ExternalID] = true
	}
	for _, r := range got.Reports {
		assert.False(t, seen[r.ExternalID], "%s: report %q has no id of its own", name, r.ExternalID)
		assert.NotEmpty(t, r.ProviderMessageID, "%s: of which message?", name)
		assert.NotEmpty(t, r.State, "%s: what became of it?", name)
		seen[r.ExternalID] = true
	}
	for _, c := range got.Calls {
		assert.False(t, seen[c.ExternalID], "%s: what is told of the call %q has no id of its own", name, c.ProviderID)
		assert.NotEmpty(t, c.ProviderID, "%s: of which call?", name)
		assert.NotEmpty(t, c.Raw, "%s: what is told of it?", name)
		seen[c.ExternalID] = true
	}
}

func ignored(t T, s Suite) {
	for name, r := range s.Inbound.Ignored {
		got, err := s.receiver(t).Parse(s.Connection, s.Inbound.Sign(s.Connection, r))
		assert.NoError(t, err, name)
		assert.Empty(t, got.Entries, name)
		assert.Empty(t, got.Reports, name)
		assert.Empty(t, got.Calls, name)
	}
}

func extended(t T, s Suite) {
	for name, said := range s.Inbound.Says {
		r := s.Inbound.Sign(s.Connection, s.Inbound.Extend(said.Request))
		assert.NoError(t, s.receiver(t).Verify(s.Connection, r), name)
		got, err := s.receiver(t).Parse(s.Connection, r)
		assert.NoError(t, err, name)
		assert.Equal(t, said.Want, got, name)
	}
}

func another(t T, s Suite) {
	if s.Inbound.Unsigned != "" {
		return // what nobody signs names no account either: the path does
	}
	for name, said := range s.Inbound.Says {
		got, err := s.receiver(t).Parse(s.Inbound.Another, s.Inbound.Sign(s.Inbound.Another, said.Request))
		assert.NoError(t, err, name)
		assert.Empty(t, got.Entries, name)
		assert.Empty(t, got.Reports, name)
		assert.Empty(t, got.Calls, name)
	}
}

func hostile(t T, s Suite) {
	for name, said := range s.Inbound.Says {
		for _, body := range []string{"", "x", "{", "null", "[]", "%zz", "\x00", "\xff\xfe", "a=1;b=2", "&&&=", strings.Repeat("[", 100_000),
			strings.Repeat("a", 1<<20), string(said.Request.Body[:len(said.Request.Body)/2])} {
			r := said.Request
			r.Body = []byte(body)
			r = s.Inbound.Sign(s.Connection, r)
			_ = s.receiver(t).Routes(r)
			_ = s.receiver(t).Verify(s.Connection, r)
			got, err := s.receiver(t).Parse(s.Connection, r)
			known(t, name, got)
			s.silent(t, err)
		}
	}
}
