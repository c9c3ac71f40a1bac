package wire

import (
	"context"
	"crypto/sha256"
	"crypto/subtle"
	"encoding/base64"
	"net/url"
	"strings"

	"github.com/parley-platform/parley/domain/channels"
	"github.com/parley-platform/parley/domain/fault"
)

// Waiting is the sending side of kinds to which nothing is sent: their provider waits for the answer, or
// comes for it.
type Waiting struct {
	Kind string
	Most channels.Limits
}

// Name is the provider that events and lists show.
func (w Waiting) Name() string { return w.Kind }

// Limits are those of an answer.
func (w Waiting) Limits() channels.Limits {
	w.Most.Asked, w.Most.Fetched = true, true
	return w.Most
}

// Routes leads nowhere: the path alone names the connection, and its token may be that of another account's.
func (Waiting) Routes(channels.Request) []string { return []string{} }

// Send sends nothing.
func (w Waiting) Send(_ context.Context, _ channels.Connection, m channels.Outbound) channels.Outcome {
	if out, unfit := Unfit(w.Most, m.Text, nil); unfit {
		return out
	}
	return channels.Outcome{Status: channels.NotTaken, Code: "FETCHED", Reason: "what is said waits for the next request"}
}

// Lookup cannot tell.
func (Waiting) Lookup(context.Context, channels.Connection, channels.Doubt) (channels.Outcome, error) {
	return channels.Outcome{}, nil
}

// Token compares a credential of a connection with what a request shows: in a header of its own, as
// Authorization: Bearer, as the password of Authorization: Basic, or, where the kind's provider can do no
// better, in the query. The time does not tell how much of it is right.
func Token(c channels.Connection, credential, shown string) error {
	want := c.Credentials.Reveal(credential)
	if want == "" {
		return fault.New(fault.Unauthorized, "the connection has no %s", credential)
	}
	if !Same(want, shown) {
		return fault.New(fault.Unauthorized, "the token is missing, or not that of this connection")
	}
	return nil
}

// Same compares a secret with what is shown. The time does not tell how much of it is right, nor how long
// it is. One that is empty is nobody's.
func Same(secret, shown string) bool {
	a, b := sha256.Sum256([]byte(secret)), sha256.Sum256([]byte(shown))
	return subtle.ConstantTimeCompare(a[:], b[:]) == 1 && secret != ""
}

// Authorization is the token of the header of that name; empty: there is none.
func Authorization(r channels.Request) string {
	scheme, token, _ := strings.Cut(r.Get("Authorization"), " ")
	switch {
	case strings.EqualFold(scheme, "Bearer"):
		return token
	case strings.EqualFold(scheme, "Basic"):
		plain, _ := base64.StdEncoding.DecodeString(token)
		_, password, _ := strings.Cut(string(plain), ":")
		return password
	}
	return ""
}

// Query is what a request's address says behind the question mark.
func Query(r channels.Request) url.Values {
	_, query, _ := strings.Cut(r.URL, "?")
	values, _ := url.ParseQuery(query) // what cannot be read is not there
	return values
}
