package msteams

import (
	"cmp"
	"context"
	"net/http"
	"net/url"

	"github.com/parley-platform/parley/adapters/channels/wire"
	"github.com/parley-platform/parley/domain/channels"
)

// shared is where what people share in Teams lies; an address of it is one to read it by.
var shared = []string{".sharepoint.com", ".sharepoint.us", ".svc.ms"}

// Fetch gets a file: what is shared by the address that came, and a picture in a text with the bot's
// token.
func (t *Teams) Fetch(ctx context.Context, c channels.Connection, f channels.File) (channels.Fetched, error) {
	if err := t.Check(c); err != nil {
		return channels.Fetched{}, &channels.Unfetched{Code: channels.FileDenied, Reason: err.Error()}
	}
	from := wire.Place{Hosts: t.at.Services, Beyond: shared}
	if at, err := url.Parse(f.URL); err == nil && (t.at.Service != "" || t.among(at.Hostname())) {
		token, none := t.tokens.of(ctx, c)
		if token == "" {
			return channels.Fetched{}, unfetched(none)
		}
		from.Login = func(r *http.Request) { r.Header.Set("Authorization", "Bearer "+token) }
	}
	provider, err := wire.At(name, cmp.Or(t.at.Service, t.at.Issuer), "")
	if err != nil {
		return channels.Fetched{}, &channels.Unfetched{Code: channels.FileRefused, Reason: err.Error()}
	}
	return provider.File(ctx, f, from)
}

// unfetched is why a file does not come without a token.
func unfetched(none channels.Outcome) error {
	if none.Code == "LOGIN_400" || none.Code == "LOGIN_401" {
		return &channels.Unfetched{Code: channels.FileDenied, Reason: none.Reason}
	}
	return &channels.Unfetched{Code: channels.FileAway, Reason: none.Reason, Again: true, RetryAfter: none.RetryAfter}
}
