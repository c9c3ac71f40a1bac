// Package graph is what the channels of Meta share: its Graph API, what its answers mean, how
// Meta shows that a request is its own, and the envelope in which it sends what happened to
// several accounts at once.
//
// It owns these four. Which messages a kind has is the kind's own. It never repeats a request,
// keeps nothing, and never logs.
package graph

import (
	"context"
	"encoding/json"
	"net/http"
	"regexp"
	"strings"

	"github.com/parley-platform/parley/adapters/channels/wire"
	"github.com/parley-platform/parley/domain/channels"
)

// The hosts of the API. Which one an account is reached at, its token decides.
const (
	Facebook  = "https://graph.facebook.com"
	Instagram = "https://graph.instagram.com"
)

// Version is that of the API where the base names none.
const Version = "v25.0"

var version = regexp.MustCompile(`^v[0-9]{1,3}\.[0-9]{1,2}$`)

// API is asked. It holds no account: that comes with each call.
type API struct {
	hosts   map[string]*wire.Provider
	version string
}

// New takes where Meta is. The base may end in a version of the API, and may be one alone, as
// /v26.0: then it is that at Meta's own addresses, as is all where the base is empty.
func New(base string) (*API, error) {
	out := &API{hosts: map[string]*wire.Provider{}, version: Version}
	base = strings.TrimRight(base, "/")
	if at := strings.LastIndex(base, "/"); at >= 0 && version.MatchString(base[at+1:]) {
		base, out.version = base[:at], base[at+1:]
	}
	for _, own := range []string{Facebook, Instagram} {
		provider, err := wire.At("Meta", base, own)
		if err != nil {
			return nil, err
		}
		out.hosts[own] = provider
	}
	return out, nil
}

// Account is whose requests are made: at which host, with which token.
type Account struct {
	Host  string
	Token string
}

// Send makes one request for a message to be sent, and says what came of it.
func (a *API) Send(ctx context.Context, by Account, path string, message any) channels.Outcome {
	answer, none, ok := a.Post(ctx, by, path, message)
	if !ok {
		return none
	}
	return outcomeOf(answer)
}

// Post makes one request by a path that begins with a slash.
func (a *API) Post(ctx context.Context, by Account, path string, body any) (wire.Answer, channels.Outcome, bool) {
	data, err := json.Marshal(body)
	if err != nil {
		return wire.Answer{}, unmade, false
	}
	return a.ask(ctx, by, http.MethodPost, path, string(data))
}

// unmade is the outcome of a request that cannot be made.
var unmade = channels.Outcome{Status: channels.Refused, Code: "REQUEST", Reason: "the request to Meta cannot be made"}

func (a *API) ask(ctx context.Context, by Account, method, path, body string) (wire.Answer, channels.Outcome, bool) {
	req, err := a.hosts[by.Host].Request(method, "/"+a.version+path, "application/json", body)
	if err != nil {
		return wire.Answer{}, unmade, false
	}
	by.login(req)
	return a.hosts[by.Host].Ask(ctx, req)
}

func (by Account) login(req *http.Request) { req.Header.Set("Authorization", "Bearer "+by.Token) }
