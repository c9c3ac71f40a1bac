package channelstest

import (
	"context"
	"fmt"
	"runtime"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/parley-platform/parley/domain/channels"
)

// recorder is a test that may fail.
type recorder struct{ failures []string }

func (r *recorder) Errorf(format string, args ...any) {
	r.failures = append(r.failures, fmt.Sprintf(format, args...))
}
func (*recorder) FailNow()                 { runtime.Goexit() }
func (*recorder) Context() context.Context { return context.Background() }

// failures are what a check finds wrong.
func failures(s Suite, name string) []string {
	for _, c := range s.checks() {
		if c.name != name {
			continue
		}
		r := &recorder{}
		done := make(chan struct{})
		go func() {
			defer close(done)
			defer func() {
				if p := recover(); p != nil {
					r.Errorf("panic: %v", p)
				}
			}()
			c.run(r, s)
		}()
		<-done
		return r.failures
	}
	return nil
}

func TestAnAdapterThatKeepsItsPromisesPasses(t *testing.T) { Run(t, suiteOf("")) }

// A check that no fault of an adapter fails would prove nothing.
func TestEveryBrokenPromiseIsFound(t *testing.T) {
	found := map[string]bool{"the fixtures are complete": true} // see TestAMissingFixtureIsNamed
	for fault, want := range map[string]string{
		"limits that refuse the longest text":  "the longest text goes through",
		"asks with a text that is too long":    "a text that is too long is refused, and nobody is asked",
		"begins what was given up":             "what was given up before it began was not taken",
		"makes up what became of a message":    "an attempt in doubt is asked about without a panic, and nothing is made up",
		"asks without an account":              "an account that is not complete is named, and nobody is asked",
		"forgets the credentials":              "the provider takes a message, asked once and as it wants to be asked",
		"takes a fresh key for each attempt":   "a repeat is known by its key",
		"repeats what is final":                "a final answer is final",
		"tells the token that was refused":     "wrong credentials are told",
		"hides that credentials are wrong":     "wrong credentials are told",
		"does not know all answers":            "the other answers that are known",
		"does not wait":                        "too many requests wait as long as Retry-After says",
		"calls everything doubtful":            "a provider that is not there has taken nothing",
		"believes any 200":                     "what no provider says leaves the outcome in doubt",
		"calls silence not taken":              "a provider that is slow leaves the outcome in doubt",
		"follows redirects":                    "a redirect is not followed",
		"reads without an end":                 "an answer without an end is not read to its end",
		"logs the request":                     "the provider takes a message, asked once and as it wants to be asked",
		"tells the error of the client":        "a provider that is slow leaves the outcome in doubt",
		"refuses everybody":                    "what the provider sends is believed",
		"believes who does not sign":           "a signature that is missing, broken or of another connection is refused",
		"refuses without a code":               "a signature that is missing, broken or of another connection is refused",
		"tells the signature that it wanted":   "a signature that is missing, broken or of another connection is refused",
		"signs a part only":                    "a request that was altered on its way is refused",
		"takes an empty secret":                "a connection without secrets believes nobody",
		"forgets the text":                     "entries and reports are read, the same way twice",
		"copies what it reads again and again": "a request is judged and read with little memory",
		"hears itself":                         "what says nothing to us is left out",
		"refuses what it does not know":        "what nobody knows yet is passed over",
		"gives everybody everything":           "another connection gets nothing of it",
		"panics":                               "no body makes it panic, or make something up",
		"makes an entry of everything":         "no body makes it panic, or make something up",
		"answers a repeat with something else": "whoever waits for an answer has one, the same for a repeat",
		"fetches without credentials":          "a file comes as it is, asked for as the provider wants it",
		"fetches from anywhere":                "no address that is not the provider's is asked",
		"takes a page for a file":              "a page is no file",
		"asks for ever for what is gone":       "what stays as it is is not worth another try",
		"gives a file up at once":              "what is of a moment is worth another try",
		"tells the address of a file":          "what is of a moment is worth another try",
		"fetches what was given up":            "a file that was given up is not asked for",
		"reads a file to its end":              "a file without an end is not read to its end",
		"shows a draft anew each time":         "what is being written is shown, asked for as the provider wants it",
		"forgets the draft":                    "a message takes the place of its draft",
		"gives up with its draft":              "a draft that is not there any more loses no message",
		"drafts without an account":            "without credentials, and beyond the limits, no draft is shown",
	} {
		require.NotEmpty(t, failures(suiteOf(fault), want), "an adapter that %s", fault)
		found[want] = true
	}
	for fault, want := range map[string]string{"asks without an account": "without credentials nobody is asked for a file",
		"follows redirects": "who is led on shows no credentials there"} {
		require.NotEmpty(t, failures(suiteOf(fault), want), "an adapter that %s", fault)
		found[want] = true
	}
	const published = "published signatures are judged as they were published"
	vectored := suiteOf("")
	vectored.Inbound.Vectors[0].Good = true
	require.NotEmpty(t, failures(vectored, published))
	found[published] = true
	for _, c := range suiteOf("").checks() {
		require.True(t, found[c.name], "no fault here fails the check %q: break carrier so that it does", c.name)
	}
}

// A fixture that is forgotten is named, so that nobody passes by leaving it out.
func TestAMissingFixtureIsNamed(t *testing.T) {
	for fixture, forget := range map[string]func(*Suite){
		"Connection":              func(s *Suite) { s.Connection.ID = "" },
		"Connection.Credentials":  func(s *Suite) { s.Connection.Credentials = nil },
		"Connection.External":     func(s *Suite) { s.Connection.External = "" },
		"Outbound":                func(s *Suite) { s.Outbound.Text = "" },
		"Provider.Problem":        func(s *Suite) { s.Provider.Problem = nil },
		"Provider.Taken":          func(s *Suite) { s.Provider.Taken = Case{} },
		"Provider.Final":          func(s *Suite) { s.Provider.Final = Case{} },
		"Provider.Limited":        func(s *Suite) { s.Provider.Limited = Reply{} },
		"Provider.Denied":         func(s *Suite) { s.Provider.Denied = Case{} },
		"Files.File":              func(s *Suite) { s.Files.File = nil },
		"Files.Problem":           func(s *Suite) { s.Files.Problem = nil },
		"Drafts.To":               func(s *Suite) { s.Drafts.To = "" },
		"Drafts.Problem":          func(s *Suite) { s.Drafts.Problem = nil },
		"Inbound.Sign":            func(s *Suite) { s.Inbound.Sign = nil },
		"Inbound.Extend":          func(s *Suite) { s.Inbound.Extend = nil },
		"Inbound.Another":         func(s *Suite) { s.Inbound.Another = channels.Connection{} },
		"Inbound.Says":            func(s *Suite) { s.Inbound.Says = nil },
		`Inbound.Ignored["echo"]`: func(s *Suite) { s.Inbound.Ignored = nil },
	} {
		s := suiteOf("")
		forget(&s)
		r := &recorder{}
		complete(r, s)
		require.Len(t, r.failures, 1, fixture)
		require.Contains(t, r.failures[0], "the fixture "+fixture+" of the suite is missing")
	}
}
