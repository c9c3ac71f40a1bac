package msteams

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/json"
	"net/http"
	"net/url"
	"strconv"
	"sync"
	"time"

	"golang.org/x/sync/singleflight"

	"github.com/parley-platform/parley/adapters/channels/wire"
	"github.com/parley-platform/parley/domain/channels"
)

const (
	early      = 5 * time.Minute // before its end a token is not used any more
	mostTokens = 10_000          // that are kept
)

// tokens are those by which bots ask, until shortly before they end.
type tokens struct {
	login  *wire.Provider
	scope  string
	now    func() time.Time
	flight singleflight.Group
	mu     sync.Mutex
	kept   map[account]token
}

// account is a bot with the secret that it has now, which nobody can read from it.
type account [sha256.Size]byte

type token struct {
	value channels.Secret
	until time.Time
}

func newTokens(login *wire.Provider, scope string) *tokens {
	return &tokens{login: login, scope: scope, now: time.Now, kept: map[account]token{}}
}

func accountOf(c channels.Connection) account {
	said, _ := json.Marshal([]string{c.External, c.Credentials.Reveal(TenantID), c.Credentials.Reveal(AppPassword)})
	return sha256.Sum256(said)
}

// of is a token of a connection; without one the outcome says why. Nothing has been sent then.
func (t *tokens) of(ctx context.Context, c channels.Connection) (value string, none channels.Outcome) {
	key := accountOf(c)
	t.mu.Lock()
	kept := t.kept[key]
	t.mu.Unlock()
	if t.now().Before(kept.until) {
		return string(kept.value), none
	}
	type got struct {
		token token
		none  channels.Outcome
	}
	result, _, _ := t.flight.Do(string(key[:]), func() (any, error) {
		fresh, none := t.ask(ctx, c)
		if fresh.value != "" {
			t.keep(key, fresh)
		}
		return got{fresh, none}, nil
	})
	out := result.(got)
	return string(out.token.value), out.none
}

func (t *tokens) keep(key account, fresh token) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if len(t.kept) >= mostTokens {
		clear(t.kept)
	}
	t.kept[key] = fresh
}

// forget drops a token that the connector does not take.
func (t *tokens) forget(c channels.Connection, value string) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if key := accountOf(c); string(t.kept[key].value) == value {
		delete(t.kept, key)
	}
}

func (t *tokens) ask(ctx context.Context, c channels.Connection) (fresh token, none channels.Outcome) {
	form := url.Values{"grant_type": {"client_credentials"}, "client_id": {c.External},
		"client_secret": {c.Credentials.Reveal(AppPassword)}, "scope": {t.scope}}
	of := cmp.Or(c.Credentials.Reveal(TenantID), "botframework.com")
	req, err := t.login.Request(http.MethodPost, "/"+of+"/oauth2/v2.0/token", "application/x-www-form-urlencoded", form.Encode())
	if err != nil {
		return fresh, channels.Outcome{Status: channels.NotTaken, Code: "REQUEST", Reason: err.Error()}
	}
	answer, none, ok := t.login.Ask(ctx, req)
	if !ok { // without a token nothing was sent, whatever became of the request
		none.Status, none.Code = channels.NotTaken, cmp.Or(none.Code, "UNREACHABLE")
		return fresh, none
	}
	var a struct {
		Token string `json:"access_token"`
		For   int64  `json:"expires_in"` // seconds
	}
	readable := json.Unmarshal(answer.Body, &a) == nil
	code := "LOGIN_" + strconv.Itoa(answer.Status)
	switch {
	case answer.Status == http.StatusOK && readable && a.Token != "":
		lasts := min(time.Duration(max(a.For, 0)), 24*3600) * time.Second
		return token{channels.Secret(a.Token), t.now().Add(lasts - early)}, none
	case answer.Status == http.StatusBadRequest, answer.Status == http.StatusUnauthorized:
		return fresh, wire.Denied(code, "Microsoft")
	}
	return fresh, channels.Outcome{Status: channels.NotTaken, Code: code, Reason: "Microsoft gives no token", RetryAfter: answer.RetryAfter}
}
